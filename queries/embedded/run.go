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
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// How long the server may take. Recovery after a crash replays up to max_wal_size, which takes a slow disk minutes.
const (
	startWithin  = 10 * time.Minute
	answerWithin = 30 * time.Second // a server that says it is ready
	emptyWithin  = 2 * time.Second  // a postmaster.pid without content
	slowAfter    = 5 * time.Second  // then the caller is told
)

// errOtherServer: what answered on the socket is not the server of this cluster.
var errOtherServer = errors.New("another server answers on this socket")

// probe asks the server behind a postmaster.pid whether it wrote that file. This holds also when its process id cannot
// be looked up, because it runs in another container on the same directory.
func (c cluster) probe(ctx context.Context, p pidFile) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, address(p.socketDir, p.port, maintenance))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var text string
	if err := conn.QueryRow(ctx, "select pg_read_file('postmaster.pid')").Scan(&text); err != nil {
		return err
	}
	if theirs, err := parsePIDFile(text); err != nil || theirs.identity != p.identity {
		return errOtherServer
	}
	return nil
}

// answered reports whether an error of probe is the word of a server that runs as it should, but not for us. A server
// that starts, stops or is full says so too; that passes.
func answered(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && !strings.HasPrefix(refused.Code, "57P") && refused.Code != "53300"
}

// deaf reports whether an error of probe means that nothing listens on the socket.
func deaf(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// running returns the server of the cluster, or nil if none runs. It waits for one that is on its way up or down, which
// a killed command may have left so. The caller has the start lock.
func (c cluster) running(ctx context.Context) (*pidFile, error) {
	slow := time.AfterFunc(slowAfter, func() { c.notice("waiting for the embedded Postgres in " + c.dir + ", which already runs") })
	defer slow.Stop()
	begun := time.Now()
	unready := begun // when it last said that it is not ready
	for {
		p, err := c.readPIDFile()
		if p == nil || err != nil {
			return nil, err
		}
		ready := p.state == "ready"
		if ready {
			err = c.probe(ctx, *p)
		} else {
			err = fmt.Errorf("it says that it is %q", p.state)
			unready = time.Now()
		}
		switch alive := mayBeServer(p.pid, c.data, c.acct.uid); {
		case err == nil:
			return p, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case answered(err):
			return nil, fmt.Errorf("the server in %s was not made by mcpcensus: choose another directory with --data-dir: %w", c.data, err)
		case p.pid == 0 && time.Since(begun) < emptyWithin:
			// a server is just making the file, or crashed when it did
		case errors.Is(err, errOtherServer), !alive && (!ready || deaf(err)):
			return nil, c.dropStale(*p)
		case time.Since(unready) > answerWithin || time.Since(begun) > startWithin:
			return nil, fmt.Errorf("the server in %s does not answer: stop it with kill -INT %d and try again: %w%s", c.data, p.pid, err, c.logTail(0))
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// launch starts the server, after making the cluster if there is none, and waits until it answers.
func (c cluster) launch(ctx context.Context) (*pidFile, error) {
	bin, err := c.binaries()
	if err != nil {
		return nil, err
	}
	if err := c.acct.checkReach(bin, c.dir); err != nil {
		return nil, err
	}
	if err := c.removePartial(); err != nil {
		return nil, err
	}
	if !c.exists() {
		if err := c.create(ctx, bin); err != nil {
			return nil, err
		}
	}
	socket, err := socketDir(c.dir, os.TempDir())
	if err != nil {
		return nil, err
	}
	if err := makeSocketDir(socket, c.acct); err != nil {
		return nil, err
	}
	slow := time.AfterFunc(slowAfter, func() {
		c.notice("the embedded Postgres in " + c.dir + " takes long to start; it may be recovering from a crash")
	})
	defer slow.Stop()
	limited, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		p, err := c.launchOnce(limited, bin, socket)
		// The children of a server that was killed end by themselves, the busy ones after their query.
		if err == nil || !strings.Contains(err.Error(), "pre-existing shared memory block") {
			return p, err
		}
		if pause(limited) != nil {
			return nil, err
		}
	}
}

// launchOnce runs the postgres program. It becomes a process of its own that outlives this one.
func (c cluster) launchOnce(ctx context.Context, bin Binaries, socket string) (*pidFile, error) {
	log, from, err := c.openLog()
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	args := []string{"-D", c.data, "-c", "listen_addresses=", "-c", fmt.Sprintf("port=%d", port),
		"-c", "unix_socket_directories=" + socket, "-c", "unix_socket_permissions=0700", "-c", "synchronous_commit=on",
		"-c", "logging_collector=off", "-c", "log_destination=stderr"}
	if c.opts.Throwaway {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off")
	} else {
		args = append(args, "-c", "fsync=on", "-c", "full_page_writes=on")
	}
	cmd := c.acct.command(c.data, bin.Path("postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the embedded Postgres: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // also reaps the server when it ends before this process does
	for {
		p, err := c.readPIDFile()
		if err == nil && p != nil && p.pid == cmd.Process.Pid && p.state == "ready" {
			if err = c.probe(ctx, *p); err == nil {
				return p, nil
			}
		}
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("it ended at once")
			}
			return nil, fmt.Errorf("the embedded Postgres did not start (%w)%s", err, c.logTail(from))
		default:
		}
		if pause(ctx) != nil {
			_ = cmd.Process.Signal(syscall.SIGINT)
			<-ended
			return nil, fmt.Errorf("start the embedded Postgres: %w%s", ctx.Err(), c.logTail(from))
		}
	}
}

// ensureDatabase makes the census database in a new cluster.
func (c cluster) ensureDatabase(ctx context.Context, p pidFile) error {
	conn, err := pgx.Connect(ctx, address(p.socketDir, p.port, maintenance))
	if err != nil {
		return fmt.Errorf("make the census database: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var exists bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", database).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "create database "+database)
	}
	if err != nil {
		return fmt.Errorf("make the census database: %w", err)
	}
	return nil
}

// stop ends the server the way pg_ctl stop -m fast does, and waits until it is gone. The caller has the start lock and
// has made sure that nobody else uses the server.
func (c cluster) stop(ctx context.Context) error {
	p, err := c.readPIDFile()
	if p == nil || err != nil {
		return err
	}
	if !mayBeServer(p.pid, c.data, c.acct.uid) {
		return nil // it crashed, and the next start recovers; or it runs in another container, out of our reach
	}
	from := c.logEnd()
	if err := syscall.Kill(p.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the embedded Postgres (process %d): %w", p.pid, err)
	}
	for mayBeServer(p.pid, c.data, c.acct.uid) {
		if pause(ctx) != nil {
			return fmt.Errorf("the embedded Postgres (process %d) is still stopping; the next command waits for it%s", p.pid, c.logTail(from))
		}
	}
	if left, err := c.readPIDFile(); err != nil || left != nil {
		return errors.Join(fmt.Errorf("the embedded Postgres crashed while it stopped; the next start recovers%s", c.logTail(from)), err)
	}
	if socket, err := socketDir(c.dir, os.TempDir()); err == nil && filepath.Dir(socket) != c.dir {
		_ = os.Remove(socket) // tidies up among the temporary files; the next start makes it again
	}
	return nil
}
