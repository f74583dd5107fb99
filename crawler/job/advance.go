package job

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/mcpcensus/mcpcensus/queries"
)

// enter moves a run from one stage to another and enqueues its first jobs, unless the goal of the run is reached before
// it. Nothing happens when the run has left that stage already, so saying it twice is harmless.
func (p *process) enter(ctx context.Context, tx pgx.Tx, run string, from, to Stage) error {
	q := queries.New(tx)
	var moved int64
	var err error
	if to == Closed {
		now := p.Clock.Now().UTC()
		moved, err = q.CloseRun(ctx, queries.CloseRunParams{RunID: run, FinishedAt: &now})
	} else {
		moved, err = q.SetRunStage(ctx, queries.SetRunStageParams{RunID: run, FromStage: string(from), Stage: string(to)})
	}
	if err != nil {
		return fmt.Errorf("move run %s to stage %s: %w", run, to, err)
	}
	if moved == 0 {
		return nil
	}
	return p.begin(ctx, tx, run, to)
}

// begin enqueues the first jobs of the stage in which a run is, unless its goal is reached.
func (p *process) begin(ctx context.Context, tx pgx.Tx, run string, stage Stage) error {
	r, err := queries.New(tx).GetRun(ctx, run)
	if err != nil {
		return fmt.Errorf("read run %s: %w", run, err)
	}
	if Goal(r.Goal).reached(stage) {
		return nil
	}
	return p.enqueueStage(ctx, tx, run, stage)
}

// enqueueStage inserts the jobs that a run in this stage needs and that are not waiting or running already.
func (p *process) enqueueStage(ctx context.Context, tx pgx.Tx, run string, stage Stage) error {
	q := queries.New(tx)
	live, err := q.LiveJobs(ctx, run)
	if err != nil {
		return fmt.Errorf("list the jobs of run %s: %w", run, err)
	}
	isLive := map[queries.LiveJobsRow]bool{}
	for _, j := range live {
		isLive[j] = true
	}
	var jobs []river.InsertManyParams
	add := func(args river.JobArgs, host string, opts *river.InsertOpts) {
		if !isLive[queries.LiveJobsRow{Kind: args.Kind(), Host: host}] {
			jobs = append(jobs, river.InsertManyParams{Args: args, InsertOpts: opts})
		}
	}
	switch stage {
	case Walk:
		add(walkArgs{Run: run}, "", nil)
	case Frame:
		add(frameArgs{Run: run}, "", nil)
	case Probe:
		hosts, err := q.OpenHosts(ctx, run) // the largest first; River works jobs of equal priority in this order
		if err != nil {
			return fmt.Errorf("list the hosts of run %s: %w", run, err)
		}
		for _, h := range hosts {
			add(probeArgs{Run: run, Host: h.Host}, h.Host, &river.InsertOpts{Priority: priorityBegin})
		}
	case Classify:
		add(classifyArgs{Run: run}, "", nil)
	case Estimate:
		add(estimateArgs{Run: run}, "", nil)
	}
	for len(jobs) > 0 {
		batch := jobs[:min(len(jobs), 1000)]
		jobs = jobs[len(batch):]
		if _, err := p.client.InsertManyTx(ctx, tx, batch); err != nil {
			return fmt.Errorf("enqueue stage %s of run %s: %w", stage, run, err)
		}
	}
	return nil
}

// complete marks a job as done in the transaction that holds its results.
func complete[A river.JobArgs](ctx context.Context, tx pgx.Tx, job *river.Job[A]) error {
	if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
		return fmt.Errorf("complete job %s: %w", job.Kind, err)
	}
	return nil
}
