//go:build linux || darwin

package embedded

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tree lists everything in a directory with mode and owner, to show that nothing was changed.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		all = append(all, strings.Join([]string{path, info.Mode().String(), userName(int(stat.Uid)), info.ModTime().String()}, " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	bin := needBinaries(t)
	// ours makes a file in the cluster directory as the account that would run the server.
	ours := func(t *testing.T, dir, name, text string) {
		acct, err := chooseAccount(nil, filepath.Join(dir, "postgres"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "postgres", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{filepath.Dir(path), path} {
			if err := acct.own(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name, want string
		prepare    func(t *testing.T, dir string)
	}{
		{"older version", `made by PostgreSQL "14"`, func(t *testing.T, dir string) { ours(t, dir, "PG_VERSION", "14\n") }},
		{"newer version", `made by PostgreSQL "19"`, func(t *testing.T, dir string) { ours(t, dir, "PG_VERSION", "19\n") }},
		{"version of the nineties", `made by PostgreSQL "9.6"`, func(t *testing.T, dir string) { ours(t, dir, "PG_VERSION", "9.6\n") }},
		{"no version at all", "not empty and no Postgres cluster", func(t *testing.T, dir string) { ours(t, dir, "diary.txt", "dear diary\n") }},
		{"a file", "is no directory", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "postgres"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a cluster of somebody", "is itself a Postgres cluster", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"another owner", "nothing was changed", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 { // what root owns stands in for it
				if err := os.Symlink("/usr", filepath.Join(dir, "postgres")); err != nil {
					t.Fatal(err)
				}
				return
			}
			ours(t, dir, "PG_VERSION", "15\n")
			if err := os.Chown(filepath.Join(dir, "postgres"), 54321, 54321); err != nil {
				t.Fatal(err)
			}
		}},
		{"owned by root", "belongs to root", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			if err := os.Mkdir(filepath.Join(dir, "postgres"), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"line break", "line break", func(t *testing.T, dir string) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			tt.prepare(t, dir)
			before := tree(t, dir)
			target := dir
			if tt.name == "line break" {
				target += "/a\nb"
			}
			server, err := Start(t.Context(), target, Options{Throwaway: true})
			if err == nil {
				release(t, server)
				t.Fatal("not refused")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
			if after := tree(t, dir); !slices.Equal(before, after) {
				t.Errorf("changed:\n%s\nbefore:\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
			}
		})
	}
	t.Run("version without programs", func(t *testing.T) {
		t.Parallel()
		other := OldestMajor
		for _, err := FindMajor(other); err == nil && other <= NewestMajor; _, err = FindMajor(other) {
			other++
		}
		if other > NewestMajor {
			t.Skip("every supported version is installed")
		}
		dir := newDir(t)
		ours(t, dir, "PG_VERSION", string(rune('0'+other/10))+string(rune('0'+other%10))+"\n")
		_, err := Start(t.Context(), dir, Options{})
		if err == nil || !strings.Contains(err.Error(), "needs that version; nothing was changed") {
			t.Errorf("err = %v with PostgreSQL %d installed", err, bin.Major)
		}
	})
}

// An empty directory where the cluster belongs is used.
func TestLifecycleEmptyDirectory(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	empty := filepath.Join(dir, "postgres")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	acct, err := chooseAccount(nil, empty)
	if err != nil {
		t.Fatal(err)
	}
	if err := acct.own(empty); err != nil {
		t.Fatal(err)
	}
	start(t, dir, Options{Throwaway: true})
}

func TestReach(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server under another account")
	}
	dir := newDir(t)
	private := filepath.Join(dir, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), filepath.Join(private, "a", "b"), Options{Throwaway: true})
	if err == nil || !strings.Contains(err.Error(), "cannot enter "+private+":") {
		t.Errorf("err = %v, want one that names %s", err, private)
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server under another account")
	}
	dir := newDir(t)
	if _, err := Start(t.Context(), dir, Options{accounts: []string{"no-such-account"}}); err == nil || !strings.Contains(err.Error(), "no account") {
		t.Errorf("err = %v", err)
	}
	server := start(t, dir, Options{Throwaway: true, accounts: []string{"no-such-account", "nobody"}})
	data := filepath.Join(dir, "postgres")
	if owner, err := ownerOf(data); err != nil || userName(owner) != "nobody" {
		t.Errorf("cluster of %s, %v", userName(owner), err)
	}
	release(t, server)
	// Once made, the cluster stays with its account, although a better one exists.
	again := start(t, dir, Options{Throwaway: true})
	if got, err := ownerOf(filepath.Join(data, "postmaster.pid")); err != nil || userName(got) != "nobody" {
		t.Errorf("server of %s, %v", userName(got), err)
	}
	release(t, again)
}

func TestSocketDir(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, dir, temp, want string }{
		{"inside", "/var/lib/mcpcensus", "/tmp", "/var/lib/mcpcensus/socket"},
		{"longest inside", "/" + strings.Repeat("d", maxSocketPath()-len("//socket/.s.PGSQL.5432")), "/tmp",
			"/" + strings.Repeat("d", maxSocketPath()-len("//socket/.s.PGSQL.5432")) + "/socket"},
		{"one too long", "/" + strings.Repeat("d", maxSocketPath()-len("//socket/.s.PGSQL.5432")+1), "/t", "/t/mcpcensus-"},
		{"comma", "/a,b", "/t", "/t/mcpcensus-"},
		{"quote", `/a"b`, "/t", "/t/mcpcensus-"},
		{"temporary directory too long", "/a,b", "/" + strings.Repeat("t", 100), "/tmp/mcpcensus-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := socketDir(tt.dir, tt.temp)
			if err != nil || !strings.HasPrefix(got, tt.want) {
				t.Errorf("socketDir = %q, %v, want %q", got, err, tt.want)
			}
			if path := got + "/.s.PGSQL.5432"; len(path) > maxSocketPath() {
				t.Errorf("%s is %d bytes long", path, len(path))
			}
		})
	}
	a, _ := socketDir("/a,b", "/tmp")
	if b, _ := socketDir("/a,c", "/tmp"); a == b {
		t.Errorf("two data directories share %s", a)
	}
}

func TestSocketDirOfSomebodyElse(t *testing.T) {
	t.Parallel()
	acct := account{name: "me", uid: os.Geteuid(), gid: os.Getegid()}
	dir := filepath.Join(t.TempDir(), "socket")
	for range 2 { // made, then found
		if err := makeSocketDir(dir, acct); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := makeSocketDir(dir, acct); err == nil {
		t.Error("a directory that a group can enter is taken")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := makeSocketDir(link, acct); err == nil {
		t.Error("a symbolic link is taken")
	}
	if err := makeSocketDir(filepath.Dir(dir), account{name: "other", uid: acct.uid + 1}); err == nil {
		t.Error("a directory of another account is taken")
	}
}
