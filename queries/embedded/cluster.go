//go:build linux || darwin

package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// cluster is the Postgres cluster in a data directory of the census, and who runs it.
type cluster struct {
	dir    string // the data directory of the census, without symbolic links
	data   string // the cluster in it
	acct   account
	opts   Options
	notice func(string)
}

// openCluster refuses what does not fit before it writes anything, then makes the data directory if there is none.
func openCluster(dir string, opts Options) (cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return cluster{}, fmt.Errorf("find the data directory: %w", err)
	}
	if strings.ContainsAny(dir, "\n\r") {
		return cluster{}, fmt.Errorf("the data directory %q has a line break in its name: choose another with --data-dir", dir)
	}
	c := cluster{dir: dir, data: filepath.Join(dir, clusterDir), opts: opts, notice: opts.Notices}
	if c.notice == nil {
		c.notice = func(string) {}
	}
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err == nil {
		return cluster{}, fmt.Errorf("%s is itself a Postgres cluster: choose a directory for the census alone with --data-dir", dir)
	}
	if c.acct, err = chooseAccount(opts.accounts, c.data); err != nil {
		return cluster{}, err
	}
	if err := c.check(); err != nil {
		return cluster{}, err
	}
	if err := makeDirs(dir); err != nil {
		return cluster{}, fmt.Errorf("make the data directory (choose another with --data-dir): %w", err)
	}
	if c.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return cluster{}, fmt.Errorf("find the data directory: %w", err)
	}
	c.data = filepath.Join(c.dir, clusterDir)
	return c, nil
}

func (c cluster) path(name string) string { return filepath.Join(c.dir, name) }

// makeDirs makes a directory and its parents. Those of an ordinary user are private; those of root can be entered by
// the account of the server, whatever the umask says.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDirs(filepath.Dir(dir)); err != nil {
		return err
	}
	mode := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755
	}
	err := os.Mkdir(dir, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil // another command was faster
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}

// check refuses a cluster directory that is not ours to use. It changes nothing.
func (c cluster) check() error {
	info, err := os.Stat(c.data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the census database: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no directory: move it away or choose another data directory with --data-dir", c.data)
	}
	if owner := ownerIn(info); owner != c.acct.uid {
		return fmt.Errorf("the census database in %s belongs to %s, but would be run by %s: run mcpcensus as %s or choose another directory with --data-dir; nothing was changed",
			c.data, userName(owner), c.acct.name, userName(owner))
	}
	empty, err := isEmpty(c.data)
	if err != nil {
		return fmt.Errorf("look at the census database: %w", err)
	}
	if empty {
		return nil
	}
	_, err = c.major()
	return err
}

// exists reports whether the cluster has been made.
func (c cluster) exists() bool {
	_, err := os.Stat(filepath.Join(c.data, "PG_VERSION"))
	return err == nil
}

// major returns the major version of Postgres that made the cluster, and refuses one that the census does not run on.
func (c cluster) major() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s is not empty and no Postgres cluster: move it away or choose another data directory with --data-dir; nothing was changed", c.data)
	}
	if err != nil {
		return 0, fmt.Errorf("look at the census database: %w", err)
	}
	version := strings.TrimSpace(string(text))
	major, err := strconv.Atoi(version)
	if err != nil || !Supported(major) {
		return 0, fmt.Errorf("the census database in %s was made by PostgreSQL %.20q, but versions %d to %d are supported: "+
			"move it to one of them with pg_upgrade or choose another directory with --data-dir; nothing was changed",
			c.data, version, OldestMajor, NewestMajor)
	}
	return major, nil
}

// binaries returns the programs that fit the cluster: any supported version while there is none, else its own.
func (c cluster) binaries() (Binaries, error) {
	if !c.exists() {
		return Find()
	}
	major, err := c.major()
	if err != nil {
		return Binaries{}, err
	}
	found, err := FindMajor(major)
	if err != nil {
		return Binaries{}, fmt.Errorf("the census database in %s was made by PostgreSQL %d and needs that version; nothing was changed: %w", c.data, major, err)
	}
	return found, nil
}

func isEmpty(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	return len(entries) == 0, err
}
