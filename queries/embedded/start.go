//go:build linux || darwin

package embedded

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// stopWithin bounds how long the last holder waits for the server to write what it has in memory.
const stopWithin = 3 * time.Minute

// Start returns the running server of a data directory: the one that other commands already use, the one that a killed
// command left running, or a new one, whose cluster is made on first use. dir is the data directory of the census; the
// cluster is kept in dir/postgres.
func Start(ctx context.Context, dir string, opts Options) (*Server, error) {
	c, err := openCluster(dir, opts)
	if err != nil {
		return nil, err
	}
	start, err := c.lockStart(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = start.Close() }()
	users, err := createOwned(c.path("postgres.users.lock"), c.acct)
	if err != nil {
		return nil, err
	}
	server, err := c.hold(ctx, users)
	if err != nil {
		_ = users.Close()
		return nil, err
	}
	server.leave = func() error { return c.leave(users) }
	return server, nil
}

// lockStart takes the lock under which the server is started, adopted and stopped. Closing the file releases it.
func (c cluster) lockStart(ctx context.Context) (*os.File, error) {
	f, err := createOwned(c.path("postgres.start.lock"), c.acct)
	if err != nil {
		return nil, err
	}
	slow := func() { c.notice("waiting for another command that starts or stops the embedded Postgres in " + c.dir) }
	if err := waitLock(ctx, f, slow); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// hold becomes a user of the server, which it starts if it does not run. The caller has the start lock.
func (c cluster) hold(ctx context.Context, users *os.File) (*Server, error) {
	alone, err := tryLock(users, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	// An exclusive lock is only ever asked for under the start lock, which is ours now, so a shared one is free.
	if err := takeLock(users, syscall.LOCK_SH); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil { // again: another command may have made the cluster while this one waited
		return nil, err
	}
	running, err := c.running(ctx)
	if err != nil {
		return nil, err
	}
	adopted := alone && running != nil
	if adopted {
		c.notice(fmt.Sprintf("adopted the embedded Postgres that a killed command left running (process %d)", running.pid))
	}
	if running == nil {
		if running, err = c.launch(ctx); err != nil {
			return nil, err
		}
	}
	major, err := c.major()
	if err == nil {
		err = c.ensureDatabase(ctx, *running)
	}
	if err != nil {
		if alone {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
			defer cancel()
			_ = c.stop(stopping) // the first error says what is wrong
		}
		return nil, err
	}
	return &Server{socketDir: running.socketDir, port: running.port, pid: running.pid, major: major, adopted: adopted}, nil
}

// leave gives up the users lock, and stops the server if nobody else has it.
func (c cluster) leave(users *os.File) error {
	defer func() { _ = users.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	start, err := c.lockStart(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = start.Close() }()
	last, err := tryLock(users, syscall.LOCK_EX)
	if err != nil || !last {
		return err
	}
	return c.stop(ctx)
}
