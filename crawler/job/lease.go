package job

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/queries"
)

// lease is the database session by which a process shows that it is alive, and holds the hosts that it visits. Its locks
// end with the process, however it ends, so another process can take over at once.
type lease struct {
	worker string
	lost   context.CancelCauseFunc // called when the session is gone: the hosts are no longer ours

	mu   sync.Mutex
	conn *pgxpool.Conn   // nil once closed
	held map[string]bool // hosts locked by this process; session locks would let the same session in twice
}

// ErrLeaseLost is the cause of a context that ends because the session with the locks broke.
var ErrLeaseLost = errors.New("the database session that holds the hosts is gone")

// errLeaseClosed is what whoever comes too late gets.
var errLeaseClosed = errors.New("this process is stopping")

// How often a process looks at its own session, and for jobs of dead workers.
const (
	leaseCheck  = 2 * time.Second
	orphanCheck = 5 * time.Second
)

// The names of the locks. A host has one owner anywhere, whatever run it is visited for.
func workerLock(worker string) string { return "mcpcensus worker " + worker }
func hostLock(host string) string     { return "mcpcensus host " + host }
func driveLock(run string) string     { return "mcpcensus drive " + run }

func takeLease(ctx context.Context, pool *pgxpool.Pool, worker, run string, lost context.CancelCauseFunc) (*lease, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the session that holds the locks: %w", err)
	}
	for _, name := range []string{workerLock(worker), driveLock(run)} {
		if err := queries.New(conn).AdvisoryLockShared(ctx, name); err != nil {
			discard(conn)
			return nil, fmt.Errorf("take the lock %q: %w", name, err)
		}
	}
	return &lease{worker: worker, lost: lost, conn: conn, held: map[string]bool{}}, nil
}

// tryHost takes a host for this process; false means that another process, or another job of this one, has it.
func (l *lease) tryHost(ctx context.Context, host string) (bool, error) {
	name := hostLock(host)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return false, errLeaseClosed
	}
	if l.held[name] {
		return false, nil
	}
	ok, err := queries.New(l.conn).TryAdvisoryLock(ctx, name)
	if err != nil {
		return false, fmt.Errorf("lock host %s: %w", host, err)
	}
	if ok {
		l.held[name] = true
	}
	return ok, nil
}

// releaseHost gives a host back. It runs also when the job was cancelled, so it has a time limit of its own.
func (l *lease) releaseHost(host string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	name := hostLock(host)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, name)
	if l.conn == nil {
		return nil // the lock went with the session
	}
	if _, err := queries.New(l.conn).AdvisoryUnlock(ctx, name); err != nil {
		return fmt.Errorf("unlock host %s: %w", host, err)
	}
	return nil
}

// watch looks at the session until ctx ends, and calls lost when it is gone.
func (l *lease) watch(ctx context.Context) {
	ticker := time.NewTicker(leaseCheck)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := l.ping(ctx); err != nil && ctx.Err() == nil {
				l.lost(fmt.Errorf("%w: %w", ErrLeaseLost, err))
				return
			}
		}
	}
}

func (l *lease) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return nil
	}
	return l.conn.Ping(ctx)
}

// close ends the session, and with it every lock.
func (l *lease) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		discard(l.conn)
		l.conn = nil
	}
}

// discard ends a session instead of giving it back to the pool, where it would keep its locks.
func discard(pooled *pgxpool.Conn) {
	conn := pooled.Hijack()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// Asked for, so that the locks are gone when this returns: the server sees a closed socket only a moment later.
	_ = queries.New(conn).AdvisoryUnlockAll(ctx)
	_ = conn.Close(ctx) // the server drops the locks when the socket closes, cleanly or not
}

// releaseOrphans gives back the jobs of workers whose session is gone.
func releaseOrphans(ctx context.Context, pool *pgxpool.Pool, self string) error {
	q := queries.New(pool)
	running, err := q.RunningJobs(ctx)
	if err != nil {
		return fmt.Errorf("list running jobs: %w", err)
	}
	alive := map[string]bool{self: true}
	for _, job := range running {
		if _, known := alive[job.Worker]; !known {
			alive[job.Worker], err = isAlive(ctx, pool, job.Worker)
			if err != nil {
				return err
			}
		}
		if alive[job.Worker] {
			continue
		}
		if err := q.ReleaseJob(ctx, queries.ReleaseJobParams{ID: job.ID, Worker: job.Worker}); err != nil {
			return fmt.Errorf("release a job of a dead worker: %w", err)
		}
	}
	return nil
}

// isAlive asks whether a worker holds its lock, on a session of its own so that the answer leaves no lock behind.
func isAlive(ctx context.Context, pool *pgxpool.Pool, worker string) (bool, error) {
	alive := false
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		free, err := queries.New(tx).TryTransactionLock(ctx, workerLock(worker))
		alive = !free
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look whether worker %s is alive: %w", worker, err)
	}
	return alive, nil
}
