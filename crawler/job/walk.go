package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/queries"
)

// The states of a walk, as stored in run.walk_state.
const (
	walkRunning    = "running"
	walkWalked     = "walked"     // read to the end; the proof says what is not proven
	walkClosed     = "closed"     // proven complete
	walkIncomplete = "incomplete" // stopped before the end
)

// walkWorker reads the registry to its end. It commits page by page, so whoever takes the job over goes on behind the
// last page.
type walkWorker struct {
	river.WorkerDefaults[walkArgs]
	*process
}

func (w *walkWorker) Timeout(*river.Job[walkArgs]) time.Duration { return noTimeout }

func (w *walkWorker) Work(ctx context.Context, job *river.Job[walkArgs]) error {
	return w.try(ctx, job.Args.Run, len(job.Errors), func(ctx context.Context) error { return w.work(ctx, job) })
}

func (w *walkWorker) work(ctx context.Context, job *river.Job[walkArgs]) error {
	// A stop of this process ends the walk at once: nothing is lost between two pages.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-w.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	run := job.Args.Run
	q := queries.New(w.Pool)
	r, settings, err := readRun(ctx, q, run)
	if err != nil {
		return err
	}
	from, err := w.position(ctx, r, settings)
	if err != nil {
		return err
	}
	client, err := registry.New(registry.Options{
		Base: settings.RegistryURL, UserAgent: userAgent(w.Program, settings.Contact), Rate: settings.RegistryRate,
		Budget: settings.RegistryWait, Clock: w.Clock, Seed: settings.Seed,
	})
	if err != nil {
		return err
	}
	w.noteVersion(ctx, client, run)
	store := &walkStore{process: w.process, run: run}
	position, err := client.Crawl(ctx, store, from, registry.CrawlOptions{
		Overlap: settings.CloseOverlap, SpotChecks: settings.SpotChecks, Seed: settings.Seed,
	})
	var stopped *registry.Stopped
	switch {
	case errors.As(err, &stopped):
		return w.giveUp(ctx, run, stopped)
	case w.isStopping():
		return river.JobSnooze(0)
	case err != nil:
		return err
	}
	return w.finish(ctx, job, position)
}

// position is where the walk goes on: where it was left, at the rows of an earlier run, or at the beginning.
func (w *walkWorker) position(ctx context.Context, r queries.Run, s Settings) (registry.Position, error) {
	if r.WalkPosition == nil && s.Base != "" {
		return w.adopt(ctx, r.RunID, s.Base)
	}
	return readPosition(r)
}

func readPosition(r queries.Run) (p registry.Position, err error) {
	if r.WalkPosition == nil {
		return p, nil
	}
	if err := json.Unmarshal(r.WalkPosition, &p); err != nil {
		return p, fmt.Errorf("read where the walk of run %s stands: %w", r.RunID, err)
	}
	return p, nil
}

// Jump makes a walk that cannot be served the next row go on from a cursor that an operator gives. The proof of the walk
// says that there is a gap.
func Jump(ctx context.Context, pool *pgxpool.Pool, run, cursor string) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		q := queries.New(tx)
		r, err := q.GetRun(ctx, run)
		if err != nil {
			return fmt.Errorf("read run %s: %w", run, err)
		}
		if r.WalkState != walkIncomplete {
			return fmt.Errorf("run %s: its walk has not stopped at a row, so there is nothing to jump over", run)
		}
		p, err := readPosition(r)
		if err != nil {
			return err
		}
		p.State = p.State.Jump(cursor)
		return savePosition(ctx, q, run, p)
	})
}

// adopt begins the run with the rows of an earlier one.
func (w *walkWorker) adopt(ctx context.Context, run, base string) (p registry.Position, err error) {
	err = w.inTx(ctx, func(tx pgx.Tx) error {
		q := queries.New(tx)
		earlier, err := q.GetRun(ctx, base)
		if err != nil {
			return fmt.Errorf("read run %s: %w", base, err)
		}
		at, err := readPosition(earlier)
		if err != nil {
			return err
		}
		if p, err = registry.Increment(at, base); err != nil {
			return err
		}
		if _, err := q.AdoptRows(ctx, queries.AdoptRowsParams{RunID: run, Base: base}); err != nil {
			return fmt.Errorf("take over the rows of run %s: %w", base, err)
		}
		return savePosition(ctx, q, run, p)
	})
	return p, err
}

// noteVersion records what the registry says of itself; one that says nothing is walked all the same.
func (w *walkWorker) noteVersion(ctx context.Context, client *registry.Client, run string) {
	version, err := client.Version(ctx)
	if err == nil {
		version = text(version)
		err = queries.New(w.Pool).SetRegistryVersion(ctx, queries.SetRegistryVersionParams{RunID: run, RegistryVersion: &version})
	}
	if err != nil {
		w.Log.Info("the registry does not tell its version", "error", err)
	}
}

// giveUp records why the walk cannot go on now. The position stays, so that an operator can resume it.
func (w *walkWorker) giveUp(ctx context.Context, run string, stopped *registry.Stopped) error {
	reason := string(stopped.Reason)
	sentence := text(stopped.Error())
	err := w.inTx(ctx, func(tx pgx.Tx) error {
		q := queries.New(tx)
		if err := q.SetWalkState(ctx, queries.SetWalkStateParams{RunID: run, WalkState: walkIncomplete, WalkReason: &reason}); err != nil {
			return err
		}
		return q.SetRunFailure(ctx, queries.SetRunFailureParams{RunID: run, Failure: &sentence})
	})
	if err != nil {
		return fmt.Errorf("record why the walk stopped: %w", err)
	}
	return river.JobCancel(stopped)
}

func (w *walkWorker) finish(ctx context.Context, job *river.Job[walkArgs], position registry.Position) error {
	proof, err := json.Marshal(position.Proof)
	if err != nil {
		return fmt.Errorf("write the proof of the walk: %w", err)
	}
	state := walkWalked
	if complete, _ := position.Proof.Complete(); complete {
		state = walkClosed
	}
	return w.inTx(ctx, func(tx pgx.Tx) error {
		q := queries.New(tx)
		if err := q.SetWalkState(ctx, queries.SetWalkStateParams{RunID: job.Args.Run, WalkState: state}); err != nil {
			return fmt.Errorf("close the walk: %w", err)
		}
		if err := q.SetProof(ctx, queries.SetProofParams{RunID: job.Args.Run, Proof: proof}); err != nil {
			return fmt.Errorf("store the proof of the walk: %w", err)
		}
		if err := w.enter(ctx, tx, job.Args.Run, Walk, Frame); err != nil {
			return err
		}
		return complete(ctx, tx, job)
	})
}
