//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A new cluster is made under postgres.partial-<random>/data and renamed when it is complete. The marker beside it says
// that the directory is ours to remove; who makes the cluster, including initdb itself, holds a lock on it.
const (
	partialPrefix = "postgres.partial-"
	markerName    = "mcpcensus-partial"
	markerText    = "A Postgres cluster that mcpcensus was making. It holds no data; mcpcensus removes it.\n"
)

// settings go into postgresql.conf, where their owner may change them. lz4 compresses what the census stores much
// better than the default; dynamic shared memory is kept in files, because /dev/shm is small in containers and is
// cleared when a user logs out.
const settings = `
# Written by mcpcensus when it made this cluster. Change what you like; sockets and addresses are set on the command line.
max_connections = 200
shared_buffers = 256MB
max_wal_size = 2GB
max_locks_per_transaction = 256
default_toast_compression = lz4
wal_compression = lz4
dynamic_shared_memory_type = mmap
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
`

// create makes the cluster. The caller has the start lock.
func (c cluster) create(ctx context.Context, bin Binaries) error {
	c.notice(fmt.Sprintf("making the census database in %s with PostgreSQL %s", c.data, bin.Version))
	partial, err := os.MkdirTemp(c.dir, partialPrefix)
	if err != nil {
		return fmt.Errorf("make the census database: %w", err)
	}
	defer func() { _ = os.RemoveAll(partial) }() // what is left of it: everything after a failure, the marker after a success
	marker, err := c.mark(partial)
	if err != nil {
		return fmt.Errorf("make the census database: %w", err)
	}
	defer func() { _ = marker.Close() }()
	data := filepath.Join(partial, "data")
	if err := c.initdb(ctx, bin, partial, data, marker); err != nil {
		return err
	}
	if err := appendTo(filepath.Join(data, "postgresql.conf"), settings); err != nil {
		return fmt.Errorf("configure the census database: %w", err)
	}
	if err := os.Remove(c.data); err != nil && !errors.Is(err, os.ErrNotExist) { // an empty directory may stand there
		return fmt.Errorf("make the census database: %w", err)
	}
	if err := os.Rename(data, c.data); err != nil {
		return fmt.Errorf("make the census database: %w", err)
	}
	return syncDir(c.dir)
}

// mark gives a new partial directory to the account and says in it whose it is.
func (c cluster) mark(partial string) (*os.File, error) {
	if err := c.acct.own(partial); err != nil {
		return nil, err
	}
	marker, err := createOwned(filepath.Join(partial, markerName), c.acct)
	if err != nil {
		return nil, err
	}
	if err := takeLock(marker, syscall.LOCK_EX); err != nil {
		_ = marker.Close()
		return nil, err
	}
	if _, err := marker.WriteString(markerText); err != nil {
		_ = marker.Close()
		return nil, err
	}
	return marker, nil
}

func (c cluster) initdb(ctx context.Context, bin Binaries, partial, data string, marker *os.File) error {
	args := []string{"-D", data, "-U", superuser, "--encoding=UTF8", "--locale=C",
		"--auth-local=trust", "--auth-host=reject", "--no-instructions"}
	if c.opts.Throwaway {
		args = append(args, "--no-sync")
	} else {
		args = append(args, "--data-checksums")
	}
	cmd := c.acct.command(partial, bin.Path("initdb"), args...)
	cmd.ExtraFiles = []*os.File{marker} // keeps the lock for as long as initdb lives, even when this process is killed
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start initdb: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	err := cmd.Wait()
	stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("initdb could not make the census database: %w; it said:\n%s", err, lastLines(out.String()))
	}
	return nil
}

// removePartial removes what killed commands left behind while they made a cluster, if it carries our marker and nobody
// works on it. The caller has the start lock.
func (c cluster) removePartial() error {
	left, err := filepath.Glob(filepath.Join(escapeGlob(c.dir), partialPrefix+"*"))
	if err != nil {
		return err
	}
	for _, partial := range left {
		info, err := os.Lstat(partial)
		if err != nil || !info.IsDir() || ownerIn(info) != c.acct.uid {
			continue
		}
		name := filepath.Join(partial, markerName)
		marker, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		text := make([]byte, len(markerText)+1)
		n, _ := marker.Read(text)
		free, err := tryLock(marker, syscall.LOCK_EX)
		if err == nil && free && string(text[:n]) == markerText {
			err = os.RemoveAll(partial)
		}
		_ = marker.Close()
		if err != nil {
			return fmt.Errorf("remove the half-made cluster %s: %w", partial, err)
		}
	}
	return nil
}

// escapeGlob makes a path match itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
