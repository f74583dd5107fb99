package job

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/migrations"
	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Schema is the Postgres schema of River's tables, apart from those of the census.
const Schema = "river"

// Options are those of one process; what belongs to a run is in Settings.
type Options struct {
	Pool        *pgxpool.Pool
	Program     string         // version of the program, stored with the runs that it starts
	Concurrency int            // hosts visited at the same time
	Log         *slog.Logger   // our own faults and River's warnings
	Metrics     *Metrics       // may be nil
	RootCAs     *x509.CertPool // nil means those of the system
	Lookup      dial.Lookup    // nil means the name servers of the system
	Clock       polite.Clock   // nil means the real one
	Slice       time.Duration
}

func (o Options) withDefaults() Options {
	if o.Concurrency <= 0 {
		o.Concurrency = 200
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.Clock == nil {
		o.Clock = polite.RealClock()
	}
	if o.Slice <= 0 {
		o.Slice = sliceTime
	}
	return o
}

// process works the queues of one run. Many of them may run, on many machines.
type process struct {
	Options
	run    string
	worker string
	client *river.Client[pgx.Tx]
	lease  *lease
	lost   context.Context // ends when the lease is lost
	cancel context.CancelCauseFunc

	resolver *dial.Resolver // every name is resolved once a run

	stopOnce sync.Once
	stopping chan struct{} // closed: take nothing new
}

// Migrate brings the census schema and River's to the version of this program. It returns the names of what it applied.
// Programs that migrate at the same time do it one after the other.
func Migrate(ctx context.Context, pool *pgxpool.Pool) (applied []string, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The lock is held by a transaction beside the ones that migrate, and ends with it.
		if err := queries.New(tx).TransactionLock(ctx, "mcpcensus migrate"); err != nil {
			return fmt.Errorf("wait for the turn to migrate: %w", err)
		}
		if applied, err = migrations.Up(ctx, pool); err != nil {
			return err
		}
		queue, err := migrateQueue(ctx, pool)
		applied = append(applied, queue...)
		return err
	})
	return applied, err
}

func migrateQueue(ctx context.Context, pool *pgxpool.Pool) (applied []string, err error) {
	if err := queries.New(pool).CreateQueueSchema(ctx); err != nil {
		return nil, fmt.Errorf("create the schema of the job queue: %w", err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: Schema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("prepare the migration of the job queue: %w", err)
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return nil, fmt.Errorf("migrate the job queue: %w", err)
	}
	for _, v := range result.Versions {
		applied = append(applied, fmt.Sprintf("river %03d", v.Version))
	}
	return applied, nil
}

func startProcess(ctx context.Context, o Options, run string) (*process, error) {
	o = o.withDefaults()
	p := &process{Options: o, run: run, worker: workerName(), stopping: make(chan struct{}), resolver: dial.NewResolver(o.Lookup)}
	p.lost, p.cancel = context.WithCancelCause(context.WithoutCancel(ctx))

	var err error
	if p.lease, err = takeLease(ctx, o.Pool, p.worker, run, p.cancel); err != nil {
		return nil, err
	}
	if p.client, err = river.NewClient(riverpgxv5.New(o.Pool), p.riverConfig()); err != nil {
		p.lease.close()
		return nil, fmt.Errorf("set up the job queue: %w", err)
	}
	if err := releaseOrphans(ctx, o.Pool, p.worker); err != nil {
		p.lease.close()
		return nil, err
	}
	if err := p.client.Start(p.lost); err != nil {
		p.lease.close()
		return nil, fmt.Errorf("start the job queue: %w", err)
	}
	go p.lease.watch(p.lost)
	go p.watchOrphans()
	return p, nil
}

func (p *process) riverConfig() *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &walkWorker{process: p})
	river.AddWorker(workers, &frameWorker{process: p})
	river.AddWorker(workers, &probeWorker{process: p})
	river.AddWorker(workers, &classifyWorker{process: p})
	river.AddWorker(workers, &estimateWorker{process: p})
	return &river.Config{
		ID:                          p.worker,
		Schema:                      Schema,
		Logger:                      p.Log,
		Workers:                     workers,
		ErrorHandler:                faultLog{log: p.Log},
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: 72 * time.Hour,
		RetryPolicy:                 retryPolicy{now: p.Clock.Now},
		SoftStopTimeout:             10 * time.Second,
		Queues: map[string]river.QueueConfig{
			queueOf(queueControl, p.run):  {MaxWorkers: 1},
			queueOf(queueProbe, p.run):    {MaxWorkers: p.Concurrency},
			queueOf(queueClassify, p.run): {MaxWorkers: 1},
		},
	}
}

// stop ends the process: nothing new is taken, visits under way get a little time, then they are cut.
func (p *process) stop() error {
	p.stopOnce.Do(func() { close(p.stopping) })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err := p.client.Stop(ctx)
	p.cancel(context.Canceled)
	p.lease.close()
	if err != nil {
		return fmt.Errorf("stop the job queue: %w", err)
	}
	return nil
}

func (p *process) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	case <-p.lost.Done():
		return true
	default:
		return false
	}
}

// watchOrphans gives back, from time to time, the jobs of workers that died.
func (p *process) watchOrphans() {
	ticker := time.NewTicker(orphanCheck)
	defer ticker.Stop()
	for {
		select {
		case <-p.lost.Done():
			return
		case <-ticker.C:
			if err := releaseOrphans(p.lost, p.Pool, p.worker); err != nil && p.lost.Err() == nil {
				p.Log.Warn("could not look for jobs of dead workers", "error", err)
			}
		}
	}
}

// try runs the work of a job. When the work has failed by our own fault for the last time, the run says why it cannot go
// on, and waits for an operator. The work is cut when the lease is lost, since the hosts are no longer ours then.
func (p *process) try(ctx context.Context, run string, errorsSoFar int, work func(ctx context.Context) error) error {
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.lost, func() { cancel(context.Cause(p.lost)) })()
	err := work(working)
	var snooze *river.JobSnoozeError
	if err == nil || errors.As(err, &snooze) {
		return err
	}
	if working.Err() != nil || p.isStopping() || errorsSoFar+1 < maxTries {
		return err
	}
	reason := err.Error()
	if err := queries.New(p.Pool).SetRunFailure(ctx, queries.SetRunFailureParams{RunID: run, Failure: &reason}); err != nil {
		return fmt.Errorf("record why the run cannot go on: %w", err)
	}
	return river.JobCancel(err)
}

func (p *process) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, p.Pool, do)
}

// workerName is unique for each process: host, pid and a random part, since pids come back.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails, by its documentation
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}
