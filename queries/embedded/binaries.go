package embedded

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The major versions of Postgres that the census runs on, both inclusive.
const (
	OldestMajor = 15
	NewestMajor = 18
)

// BinEnv names the environment variable that fixes the directory of the Postgres programs. When it is set, no other
// place is looked at.
const BinEnv = "MCPCENSUS_POSTGRES_BIN"

// ErrNoBinaries is wrapped by the errors of [Find] when no usable Postgres programs are installed.
var ErrNoBinaries = errors.New("no usable PostgreSQL server programs on this machine")

// Binaries is one installation of the Postgres server programs.
type Binaries struct {
	Dir     string // the directory that holds postgres and initdb
	Major   int    // the major version, such as 15
	Version string // the full version, such as "15.18"
}

// Path returns the path of one of the programs.
func (b Binaries) Path(program string) string { return filepath.Join(b.Dir, program) }

// Supported reports whether the census runs on a major version of Postgres.
func Supported(major int) bool { return major >= OldestMajor && major <= NewestMajor }

// Find returns the first installation of a supported version: from $MCPCENSUS_POSTGRES_BIN alone when it is set, else
// the one in PATH, the one of pg_config, then the newest in the places where Debian and Homebrew put them.
func Find() (Binaries, error) { return machine().find(0) }

// FindMajor is [Find] for one major version.
func FindMajor(major int) (Binaries, error) { return machine().find(major) }

// finder is where to look. Tests point it at directories of their own.
type finder struct {
	getenv   func(string) string
	lookPath func(string) (string, error)
	bindir   func() string                    // what pg_config --bindir prints, or nothing
	roots    []string                         // patterns of directories that may hold postgres
	version  func(dir string) (string, error) // what dir/postgres --version prints
}

func machine() finder {
	return finder{
		getenv:   os.Getenv,
		lookPath: exec.LookPath,
		bindir: func() string {
			out, err := describe("pg_config", "--bindir")
			if err != nil {
				return ""
			}
			return out
		},
		roots: []string{
			"/usr/lib/postgresql/*/bin",
			"/opt/homebrew/opt/postgresql@*/bin",
			"/usr/local/opt/postgresql@*/bin",
		},
		version: func(dir string) (string, error) { return describe(filepath.Join(dir, "postgres"), "--version") },
	}
}

// describe returns what a program prints about itself, which takes no time unless it hangs.
func describe(program, about string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, about).Output()
	return strings.TrimSpace(string(out)), err
}

// find returns the first supported installation, of the wanted major version when that is not 0.
func (f finder) find(want int) (Binaries, error) {
	fixed := f.getenv(BinEnv)
	if fixed != "" {
		found, err := f.inspect(fixed)
		switch {
		case err != nil:
			return Binaries{}, fmt.Errorf("%w: $%s names %s: %w", ErrNoBinaries, BinEnv, fixed, err)
		case !Supported(found.Major):
			return Binaries{}, fmt.Errorf("%w: $%s names %s, which is PostgreSQL %s; versions %d to %d are supported",
				ErrNoBinaries, BinEnv, fixed, found.Version, OldestMajor, NewestMajor)
		case want != 0 && found.Major != want:
			return Binaries{}, fmt.Errorf("%w: PostgreSQL %d is needed, but $%s names %s, which is PostgreSQL %s",
				ErrNoBinaries, want, BinEnv, fixed, found.Version)
		}
		return found, nil
	}
	var others []string
	for dir := range f.directories() {
		found, err := f.inspect(dir)
		if err != nil {
			continue
		}
		if Supported(found.Major) && (want == 0 || found.Major == want) {
			return found, nil
		}
		others = append(others, fmt.Sprintf("PostgreSQL %s in %s", found.Version, found.Dir))
	}
	return Binaries{}, missing(want, others)
}

// missing words the error for an installation that is not there, with the three ways out.
func missing(want int, others []string) error {
	need := fmt.Sprintf("PostgreSQL %d to %d is needed", OldestMajor, NewestMajor)
	debian, homebrew := "postgresql", fmt.Sprintf("postgresql@%d", NewestMajor)
	if want != 0 {
		need = fmt.Sprintf("PostgreSQL %d is needed", want)
		debian, homebrew = fmt.Sprintf("postgresql-%d", want), fmt.Sprintf("postgresql@%d", want)
	}
	if len(others) > 0 {
		need += ", found only " + strings.Join(others, " and ")
	}
	return fmt.Errorf("%w (%s): install it (Debian, Ubuntu: apt install %s; macOS: brew install %s), "+
		"or start one with docker compose up, or name a running server with --database-url",
		ErrNoBinaries, need, debian, homebrew)
}

// directories gives the places where postgres may be, best first, each once. Later ones are only looked for when they
// are asked for, because a look may run a program.
func (f finder) directories() iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{"": true}
		try := func(dir string) bool {
			if seen[dir] {
				return true
			}
			seen[dir] = true
			return yield(dir)
		}
		if program, err := f.lookPath("postgres"); err == nil && !isScript(program) {
			if real, err := filepath.EvalSymlinks(program); err == nil && !try(filepath.Dir(real)) {
				return
			}
		}
		if !try(f.bindir()) {
			return
		}
		for _, pattern := range f.roots {
			found, _ := filepath.Glob(pattern) // the only error is a malformed pattern, and these are constant
			slices.SortFunc(found, func(a, b string) int { return majorInPath(b) - majorInPath(a) })
			for _, dir := range found {
				if !try(dir) {
					return
				}
			}
		}
	}
}

// inspect says what is installed in a directory.
func (f finder) inspect(dir string) (Binaries, error) {
	for _, program := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			return Binaries{}, fmt.Errorf("no program %s there: %w", program, err)
		}
	}
	text, err := f.version(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("postgres --version fails: %w", err)
	}
	full, major, err := parseVersion(text)
	if err != nil {
		return Binaries{}, err
	}
	return Binaries{Dir: dir, Major: major, Version: full}, nil
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) (([0-9]{1,4})[0-9A-Za-z.]*)`)

// parseVersion reads what postgres --version prints, such as "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func parseVersion(text string) (full string, major int, err error) {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return "", 0, fmt.Errorf("postgres --version prints %q, which names no version", text)
	}
	major, err = strconv.Atoi(m[2])
	return m[1], major, err
}

var digits = regexp.MustCompile(`[0-9]+`)

// majorInPath is the last number in a path such as /usr/lib/postgresql/15/bin, to try the newest first.
func majorInPath(dir string) int {
	all := digits.FindAllString(dir, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1])
	return n
}

// isScript reports whether a program is a wrapper script: version managers put such shims into PATH, and they do not
// work for another account.
func isScript(program string) bool {
	f, err := os.Open(program)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, 2)
	n, _ := f.Read(start)
	return string(start[:n]) == "#!"
}
