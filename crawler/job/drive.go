package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/queries"
)

// ErrRunFailed means that a run cannot go on by our own fault; its sentence says why. The run can be resumed.
var ErrRunFailed = errors.New("the run cannot go on")

// How often Drive looks at the run, at each how many looks it counts the queue, and how long it waits for a database that
// went away.
const (
	driveCheck   = 250 * time.Millisecond
	steadyTime   = time.Minute // after so long without a fault the next one is the first again
	depthEvery   = 20
	databaseWait = 10 * time.Minute
)

// Drive works on a run until it is closed, has reached its goal, or ctx ends. It takes part in the queue like any other
// process and begins where the run stands. progress is called about four times a second. When ctx ends, work under way
// is brought to a safe point and ctx's error is returned; the run can be driven again.
func Drive(ctx context.Context, o Options, run string, progress func(Progress)) error {
	o = o.withDefaults()
	if err := clearFailure(ctx, o, run); err != nil {
		return err
	}
	for failures := 0; ; {
		began := o.Clock.Now()
		err := driveOnce(ctx, o, run, progress)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrRunFailed) {
			return err
		}
		// What is left are faults of the connection: the database went away, or dropped the session.
		if o.Clock.Now().Sub(began) > steadyTime {
			failures = 0
		}
		if failures++; failures > maxTries {
			return err
		}
		o.Log.Warn("the database went away; the run waits for it and goes on", "error", err)
		if err := waitForDatabase(ctx, o); err != nil {
			return err
		}
	}
}

func waitForDatabase(ctx context.Context, o Options) error {
	began := o.Clock.Now()
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		ping, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := o.Pool.Ping(ping)
		cancel()
		if err == nil {
			return nil
		}
		if o.Clock.Now().Sub(began) > databaseWait {
			return fmt.Errorf("the database did not come back within %s: %w", databaseWait, err)
		}
		if err := o.Clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// clearFailure lets a run that had stopped by our own fault begin anew.
func clearFailure(ctx context.Context, o Options, run string) error {
	q := queries.New(o.Pool)
	if err := q.SetRunFailure(ctx, queries.SetRunFailureParams{RunID: run}); err != nil {
		return fmt.Errorf("read run %s: %w", run, err)
	}
	if err := q.WakeJobs(ctx, run); err != nil {
		return fmt.Errorf("wake the jobs of run %s: %w", run, err)
	}
	return nil
}

func driveOnce(ctx context.Context, o Options, run string, progress func(Progress)) (err error) {
	p, err := startProcess(ctx, o, run)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := p.stop(); err == nil {
			err = stopErr
		}
	}()
	if err := p.resume(ctx, run); err != nil {
		return err
	}
	ticker := time.NewTicker(driveCheck)
	defer ticker.Stop()
	for looks := 0; ; looks++ {
		if looks%depthEvery == 0 {
			if err := p.reportDepth(ctx); err != nil {
				return err
			}
		}
		state, err := p.look(ctx, run)
		if err != nil {
			return err
		}
		progress(state)
		switch {
		case state.Failure != "":
			return fmt.Errorf("%w: %s", ErrRunFailed, state.Failure)
		case state.Goal.reached(state.Stage):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.lost.Done():
			return context.Cause(p.lost)
		case <-ticker.C:
		}
	}
}

// resume enqueues what the stage of the run lacks: everything at the start, what a crash or an operator removed later.
func (p *process) resume(ctx context.Context, run string) error {
	return p.inTx(ctx, func(tx pgx.Tx) error {
		r, err := queries.New(tx).GetRun(ctx, run)
		if err != nil {
			return fmt.Errorf("read run %s: %w", run, err)
		}
		return p.begin(ctx, tx, run, Stage(r.Stage))
	})
}
