package job

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Progress is where a run stands.
type Progress struct {
	Run     string
	Stage   Stage
	Goal    Goal
	Failure string // why it cannot go on; empty while it can
	Started time.Time

	Pages, Rows         int64 // walk: pages of the full walk, rows on them
	RegistryFailures    int   // walk: failures of the registry in a row
	Hosts, HostsOpen    int64 // probe: hosts in all, and those not finished
	Targets, Probed     int64 // probe: targets to visit, visits stored
	Exchanges, Received int64 // probe: exchanges stored, bytes received
	Classified          int64 // classify: probes with evidence of every classifier
}

// Look reads where a run stands.
func Look(ctx context.Context, o Options, run string) (Progress, error) {
	p := process{Options: o}
	return p.look(ctx, run)
}

func (p *process) look(ctx context.Context, run string) (Progress, error) {
	q := queries.New(p.Pool)
	r, err := q.GetRun(ctx, run)
	if err != nil {
		return Progress{}, fmt.Errorf("read run %s: %w", run, err)
	}
	state := Progress{Run: run, Stage: Stage(r.Stage), Goal: Goal(r.Goal), Started: r.StartedAt}
	if r.Failure != nil {
		state.Failure = *r.Failure
	}
	if r.Hosts != nil && r.HostsOpen != nil {
		state.Hosts, state.HostsOpen = int64(*r.Hosts), int64(*r.HostsOpen)
	}
	// A batch commits the evidence of all classifiers together, so one of them tells how many probes are done.
	last := suite.All()[len(suite.All())-1]
	counts, err := q.CountProgress(ctx, queries.CountProgressParams{RunID: run, Classifier: last.Name, Version: int32(last.Version)})
	if err != nil {
		return Progress{}, fmt.Errorf("count the progress of run %s: %w", run, err)
	}
	if state.Stage == Walk {
		position, err := readPosition(r)
		if err != nil {
			return Progress{}, err
		}
		state.RegistryFailures = position.State.Trouble.Failures
	}
	state.Pages, state.Rows = counts.Pages, counts.Rows
	state.Targets, state.Probed = counts.Targets, counts.Probes
	state.Exchanges, state.Received = counts.Exchanges, counts.Bytes
	state.Classified = counts.Classified
	return state, nil
}

// reportDepth sets the gauges of the queue.
func (p *process) reportDepth(ctx context.Context) error {
	depth, err := queries.New(p.Pool).QueueDepth(ctx)
	if err != nil {
		return fmt.Errorf("count the jobs in the queue: %w", err)
	}
	p.Metrics.depth.Reset()
	for _, d := range depth {
		p.Metrics.depth.WithLabelValues(d.Kind, d.State).Set(float64(d.Jobs))
	}
	return nil
}
