package job

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/classifier/rate"
	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/crawler/target"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Report reads what a run found. It takes no locks, so it works beside a run that is under way.
func Report(ctx context.Context, pool *pgxpool.Pool, run string) (report.Report, error) {
	q := queries.New(pool)
	r, err := q.GetRun(ctx, run)
	if err != nil {
		return report.Report{}, fmt.Errorf("read run %s: %w", run, err)
	}
	out := report.Report{
		Run: run, Simulated: strings.HasPrefix(run, demoPrefix), Stage: r.Stage, Registry: r.RegistryUrl,
		Program: r.Program, Started: r.StartedAt.UTC(), Finished: r.FinishedAt,
	}
	if r.RegistryVersion != nil {
		out.RegistryVersion = *r.RegistryVersion
	}
	if out.Finished != nil {
		utc := out.Finished.UTC()
		out.Finished = &utc
	}
	if out.Walk, err = reportWalk(ctx, q, r); err != nil {
		return out, err
	}
	if out.Frame, err = reportFrame(ctx, q, r); err != nil {
		return out, err
	}
	outcomes, err := q.CountOutcomes(ctx, run)
	if err != nil {
		return out, fmt.Errorf("count the outcomes: %w", err)
	}
	var visited, answered int64
	for _, o := range outcomes {
		name := o.Outcome
		if o.Ended != string(wire.EndedDone) {
			name += ", ended by " + o.Ended
		}
		out.Outcomes = append(out.Outcomes, report.Count{Name: name, Count: o.Probes})
		visited += o.Probes
		if o.Outcome == wire.OutcomeAnswered {
			answered += o.Probes
		}
	}
	ledger, err := q.LedgerTotals(ctx, run)
	if err != nil {
		return out, fmt.Errorf("add up the ledger: %w", err)
	}
	out.Ledger = report.Ledger{
		Visits: ledger.Visits, Robots: ledger.Robots, Reserved: ledger.Reserved, Sent: ledger.Sent,
		Unsettled: ledger.Unsettled, UnsettledRequests: ledger.UnsettledRequests,
	}
	if out.Rates, out.Breakdowns, err = reportRates(ctx, q, run); err != nil {
		return out, err
	}
	out.Funnel = funnel(out, visited, answered)
	return out, nil
}

func reportWalk(ctx context.Context, q *queries.Queries, r queries.Run) (report.Walk, error) {
	w := report.Walk{State: r.WalkState}
	if r.WalkReason != nil {
		w.Reason = *r.WalkReason
	}
	if r.Proof != nil {
		var proof registry.Proof
		if err := json.Unmarshal(r.Proof, &proof); err != nil {
			return w, fmt.Errorf("read the proof of the walk: %w", err)
		}
		_, w.Unproven = proof.Complete()
	}
	rows, err := q.CountRows(ctx, r.RunID)
	if err != nil {
		return w, fmt.Errorf("count the rows: %w", err)
	}
	w.Rows, w.Names, w.Latest, w.Active, w.Deprecated, w.Deleted = rows.Rows, rows.Names, rows.Latest, rows.Active, rows.Deprecated, rows.Deleted
	if w.BadRows, err = q.CountBadRows(ctx, r.RunID); err != nil {
		return w, fmt.Errorf("count the bad rows: %w", err)
	}
	if w.Pages, err = q.CountPages(ctx, queries.CountPagesParams{RunID: r.RunID, Pass: passWalk}); err != nil {
		return w, fmt.Errorf("count the pages: %w", err)
	}
	return w, nil
}

func reportFrame(ctx context.Context, q *queries.Queries, r queries.Run) (report.Frame, error) {
	var f report.Frame
	if r.Frame != nil {
		var n target.Counts
		if err := json.Unmarshal(r.Frame, &n); err != nil {
			return f, fmt.Errorf("read the numbers of the frame: %w", err)
		}
		all, latest := n[target.AllRows], n[target.ActiveLatest]
		f.Declarations = int64(all[target.LevelDeclared])
		f.RawAll = int64(all[target.LevelE0] + all[target.LevelTemplates] + all[target.LevelInvalid])
		f.RawPlain, f.CanonicalLatest = int64(all[target.LevelE0]), int64(latest[target.LevelE1])
	}
	run := r.RunID
	targets, err := q.CountTargets(ctx, run)
	if err != nil {
		return f, fmt.Errorf("count the targets: %w", err)
	}
	ineligible := map[string]int64{}
	for _, t := range targets {
		f.Targets += t.Targets
		if t.Reason != "" {
			ineligible[t.Reason] += t.Targets
			continue
		}
		f.Eligible += t.Targets
		if t.Sampled {
			f.Sampled += t.Targets
		}
	}
	for _, reason := range sortedKeys(ineligible) {
		f.Ineligible = append(f.Ineligible, report.Count{Name: reason, Count: ineligible[reason]})
	}
	return f, nil
}

func reportRates(ctx context.Context, q *queries.Queries, run string) ([]rate.Row, []rate.Breakdown, error) {
	stored, err := q.ListRates(ctx, run)
	if err != nil {
		return nil, nil, fmt.Errorf("list the rates: %w", err)
	}
	place := places()
	stored = slices.DeleteFunc(stored, func(s queries.ListRatesRow) bool {
		at, asked := place[s.RateID] // what an older version found is left to SQL
		return !asked || at.version != s.Version
	})
	slices.SortStableFunc(stored, func(a, b queries.ListRatesRow) int { return cmp.Compare(place[a.RateID].n, place[b.RateID].n) })
	var rows []rate.Row
	var breakdowns []rate.Breakdown
	for _, s := range stored {
		var row rate.Row
		var breakdown rate.Breakdown
		into := any(&row)
		if s.Stratum == stratumLabels {
			into = &breakdown
		}
		if err := json.Unmarshal(s.Body, into); err != nil {
			return nil, nil, fmt.Errorf("read rate %s: %w", s.RateID, err)
		}
		if s.Stratum == stratumLabels {
			breakdowns = append(breakdowns, breakdown)
		} else {
			rows = append(rows, row)
		}
	}
	return rows, breakdowns, nil
}

// place is where a question stands in a report, and the version of the classifier that answers it now.
type place struct {
	n       int
	version int32
}

// places lists the questions in the order of the suite.
func places() map[string]place {
	all := map[string]place{}
	for _, c := range suite.All() {
		for _, q := range c.Questions {
			all[q.ID] = place{len(all), int32(c.Version)}
		}
	}
	return all
}

// funnel lists how many endpoints got how far. Each step is a subset of the one before.
func funnel(r report.Report, visited, answered int64) []report.Step {
	steps := []report.Step{
		{Name: "endpoints in the frame", Count: r.Frame.Targets},
		{Name: "eligible", Count: r.Frame.Eligible},
		{Name: "in the sample", Count: r.Frame.Sampled},
		{Name: "visited", Count: visited},
		{Name: "answered over HTTP", Count: answered},
	}
	for _, s := range []struct{ id, name string }{
		{"handshake.completed", "completed a handshake"},
		{listQuestion, "gave a tools list"},
	} {
		for _, row := range r.Rates {
			if row.ID == s.id {
				steps = append(steps, report.Step{Name: s.name, Count: row.Numerator.X})
			}
		}
	}
	return steps
}
