package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// install makes a directory that looks like an installation of Postgres.
func install(t *testing.T, dir, version string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"postgres": "\x7fELF", "initdb": "\x7fELF", "VERSION": version} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fakeMachine is a machine where nothing is installed, outside the directory root.
func fakeMachine(root string) finder {
	return finder{
		getenv:   func(string) string { return "" },
		lookPath: func(string) (string, error) { return "", errors.New("not found") },
		bindir:   func() string { return "" },
		roots:    []string{filepath.Join(root, "postgresql", "*", "bin"), filepath.Join(root, "opt", "postgresql@*", "bin")},
		version: func(dir string) (string, error) {
			text, err := os.ReadFile(filepath.Join(dir, "VERSION"))
			return "postgres (PostgreSQL) " + string(text), err
		},
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	type setup struct {
		root string
		f    *finder
	}
	at := func(s setup, path, version string) string {
		return install(t, filepath.Join(s.root, filepath.FromSlash(path)), version)
	}
	for _, tt := range []struct {
		name    string
		want    int    // the major version asked for
		dir     string // where it is found, below the root
		version string
		err     string
		prepare func(s setup)
	}{
		{name: "nothing", err: "PostgreSQL 15 to 18 is needed", prepare: func(setup) {}},
		{name: "three ways out", err: "apt install postgresql; macOS: brew install postgresql@18), or start one with docker compose up, or name a running server with --database-url", prepare: func(setup) {}},
		{name: "newest of Debian", dir: "postgresql/17/bin", version: "17.2", prepare: func(s setup) {
			at(s, "postgresql/9.6/bin", "9.6.24")
			at(s, "postgresql/15/bin", "15.18 (Debian 15.18-0+deb12u1)")
			at(s, "postgresql/17/bin", "17.2")
			at(s, "postgresql/19/bin", "19beta1")
		}},
		{name: "too old and too new", err: "found only PostgreSQL 19devel in", prepare: func(s setup) {
			at(s, "postgresql/14/bin", "14.9")
			at(s, "postgresql/19/bin", "19devel")
		}},
		{name: "Homebrew", dir: "opt/postgresql@16/bin", version: "16.4", prepare: func(s setup) {
			at(s, "opt/postgresql@16/bin", "16.4 (Homebrew)")
		}},
		{name: "PATH first", dir: "mine", version: "16.1", prepare: func(s setup) {
			at(s, "postgresql/18/bin", "18.0")
			dir := at(s, "mine", "16.1")
			link := filepath.Join(s.root, "postgres")
			if err := os.Symlink(filepath.Join(dir, "postgres"), link); err != nil {
				t.Fatal(err)
			}
			s.f.lookPath = func(string) (string, error) { return link, nil }
		}},
		{name: "unsupported in PATH", dir: "postgresql/15/bin", version: "15.1", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
			dir := at(s, "mine", "14.1")
			s.f.lookPath = func(string) (string, error) { return filepath.Join(dir, "postgres"), nil }
		}},
		{name: "wrapper in PATH", dir: "postgresql/15/bin", version: "15.1", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
			shim := filepath.Join(at(s, "shims", "17.0"), "postgres")
			if err := os.WriteFile(shim, []byte("#!/bin/sh\nexec real postgres\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			s.f.lookPath = func(string) (string, error) { return shim, nil }
		}},
		{name: "pg_config", dir: "src/bin", version: "18.1", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
			dir := at(s, "src/bin", "18.1")
			s.f.bindir = func() string { return dir }
		}},
		{name: "pg_config without server", dir: "postgresql/15/bin", version: "15.1", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
			s.f.bindir = func() string { return s.root }
		}},
		{name: "environment", dir: "mine", version: "15.1", prepare: func(s setup) {
			at(s, "postgresql/17/bin", "17.1")
			dir := at(s, "mine", "15.1")
			s.f.getenv = func(string) string { return dir }
		}},
		{name: "environment unsupported", err: "versions 15 to 18 are supported", prepare: func(s setup) {
			at(s, "postgresql/17/bin", "17.1")
			dir := at(s, "mine", "14.1")
			s.f.getenv = func(string) string { return dir }
		}},
		{name: "environment empty directory", err: "no program postgres there", prepare: func(s setup) {
			at(s, "postgresql/17/bin", "17.1")
			s.f.getenv = func(string) string { return s.root }
		}},
		{name: "a version wanted", want: 15, dir: "postgresql/15/bin", version: "15.1", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
			at(s, "postgresql/17/bin", "17.1")
		}},
		{name: "a version wanted that is not there", want: 16, err: "apt install postgresql-16", prepare: func(s setup) {
			at(s, "postgresql/15/bin", "15.1")
		}},
		{name: "a version wanted, another fixed", want: 16, err: "PostgreSQL 16 is needed, but $MCPCENSUS_POSTGRES_BIN", prepare: func(s setup) {
			at(s, "postgresql/16/bin", "16.1")
			dir := at(s, "mine", "15.1")
			s.f.getenv = func(string) string { return dir }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			f := fakeMachine(root)
			tt.prepare(setup{root, &f})
			got, err := f.find(tt.want)
			if tt.err != "" {
				if !errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("find = %+v, %v, want an error with %q", got, err, tt.err)
				}
				return
			}
			if err != nil || got.Dir != filepath.Join(root, tt.dir) || got.Version != tt.version {
				t.Errorf("find = %+v, %v, want %s in %s", got, err, tt.version, tt.dir)
			}
		})
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)")
	f.Add("postgres (PostgreSQL) 18beta1")
	f.Add("postgres (EnterpriseDB) 15")
	f.Fuzz(func(t *testing.T, text string) {
		full, major, err := parseVersion(text)
		if err == nil && (major < 0 || major > 9999 || !strings.Contains(text, full)) {
			t.Errorf("parseVersion(%q) = %q, %d", text, full, major)
		}
	})
}
