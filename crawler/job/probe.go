package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/prober"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// probeWorker visits the targets of one host, one after the other.
type probeWorker struct {
	river.WorkerDefaults[probeArgs]
	*process
}

// hostBusy is how long a job waits for a host that another one still has.
const hostBusy = time.Second

// maxVisits is how often a target is visited for its main findings: a second time when the first visit was put off by the
// server.
const maxVisits = 2

// spendLimit is how many times the reservation of a visit may be spent on one target, visits that a crash or a full disk
// lost included. Beyond it the target is left alone, which is our fault and is stored as that.
const spendLimit = 10

func (w *probeWorker) Work(ctx context.Context, job *river.Job[probeArgs]) error {
	run, host := job.Args.Run, job.Args.Host
	return w.try(ctx, run, len(job.Errors), func(ctx context.Context) error {
		mine, err := w.lease.tryHost(ctx, host)
		if err != nil {
			return err
		}
		if !mine {
			return river.JobSnooze(hostBusy)
		}
		w.Metrics.hosts.Inc()
		defer func() {
			w.Metrics.hosts.Dec()
			if err := w.lease.releaseHost(host); err != nil {
				w.Log.Warn("could not give back a host", "host", host, "error", err)
			}
		}()
		return w.visitHost(ctx, job)
	})
}

// visit is what the worker knows while it is on a host.
type visit struct {
	run      string
	host     string
	settings Settings
	prober   *prober.Prober
	pace     *polite.Host
	robots   robotsOfHost
}

func (w *probeWorker) visitHost(ctx context.Context, job *river.Job[probeArgs]) error {
	began := w.Clock.Now()
	_, settings, err := readRun(ctx, queries.New(w.Pool), job.Args.Run)
	if err != nil {
		return err
	}
	v := &visit{
		run: job.Args.Run, host: job.Args.Host, settings: settings, prober: w.proberFor(settings),
		pace: polite.NewHost(w.Clock, settings.Gap), robots: robotsOfHost{},
	}
	if job.Args.Slice > 0 || len(job.Errors) > 0 || job.Attempt > 1 {
		// Somebody may have sent a request to this host a moment ago: the first one now is a gap away.
		if err := v.pace.Wait(ctx); err != nil {
			return err
		}
	}
	for {
		targets, err := queries.New(w.Pool).OpenTargets(ctx, queries.OpenTargetsParams{RunID: v.run, Host: v.host, Visits: maxVisits})
		if err != nil {
			return fmt.Errorf("list the targets of host %s: %w", v.host, err)
		}
		if len(targets) == 0 {
			return w.finish(ctx, job)
		}
		for _, t := range targets {
			// robots.txt is a step of its own: a pause that it asks for must be over before the visit begins, since the deadline
			// of a visit is for what the server itself makes us wait.
			for _, step := range []func(context.Context, *visit, queries.OpenTargetsRow) error{w.learnRobots, w.visitTarget} {
				// The host may have asked for a pause, now or in a visit that another process made.
				now := w.Clock.Now()
				pause := max(v.pace.NextStart().Sub(now), t.NotBefore.Sub(now), 0)
				if w.isStopping() || now.Sub(began)+pause > w.Slice {
					return w.goOn(ctx, job, pause) // come back then, and hold no place meanwhile
				}
				if err := w.Clock.Sleep(ctx, pause); err != nil {
					return err
				}
				if err := step(ctx, v, t); err != nil {
					return err
				}
			}
		}
	}
}

// goOn completes this slice and enqueues the next one, together.
func (w *probeWorker) goOn(ctx context.Context, job *river.Job[probeArgs], pause time.Duration) error {
	return w.inTx(ctx, func(tx pgx.Tx) error {
		next := probeArgs{Run: job.Args.Run, Host: job.Args.Host, Slice: job.Args.Slice + 1}
		opts := &river.InsertOpts{Priority: priorityContinue}
		if pause > 0 {
			opts.ScheduledAt = w.Clock.Now().Add(pause)
		}
		if _, err := w.client.InsertTx(ctx, tx, next, opts); err != nil {
			return fmt.Errorf("enqueue the next slice of host %s: %w", job.Args.Host, err)
		}
		return complete(ctx, tx, job)
	})
}

// finish counts the host as done; the last one moves the run on.
func (w *probeWorker) finish(ctx context.Context, job *river.Job[probeArgs]) error {
	return w.inTx(ctx, func(tx pgx.Tx) error {
		now := w.Clock.Now().UTC()
		host, err := queries.New(tx).FinishHost(ctx, queries.FinishHostParams{RunID: job.Args.Run, Host: job.Args.Host, FinishedAt: &now})
		if err != nil {
			return fmt.Errorf("finish host %s: %w", job.Args.Host, err)
		}
		if host.HostsOpen != nil && *host.HostsOpen == 0 {
			if err := w.enter(ctx, tx, job.Args.Run, Probe, Classify); err != nil {
				return err
			}
		}
		return complete(ctx, tx, job)
	})
}

// visitTarget makes one visit and stores it. The ledger reserves before the first request; the visit and what it really
// cost are stored in one transaction.
func (w *probeWorker) visitTarget(ctx context.Context, v *visit, t queries.OpenTargetsRow) error {
	if v.robots.disallow(t.Url) {
		return w.storeUnvisited(ctx, v, t, nil, unvisited{outcome: string(wire.PolicyRobots)})
	}
	calls := v.settings.callsFor(t.Key)
	entry, err := w.reserve(ctx, v, t.TargetID, t.Visit, reservation(len(calls)))
	if err != nil {
		return err
	}
	if entry.spent > int64(spendLimit*entry.Reserved) {
		return w.storeUnvisited(ctx, v, t, &entry, unvisited{
			outcome: wire.OutcomeNothingSent, fault: fmt.Sprintf("given up: %d requests were spent on visits that could not be stored", entry.spent),
		})
	}
	g := &gate{host: v.pace, budget: polite.NewBudget(), extra: len(calls)}
	transcript, probeErr := v.prober.Probe(ctx, proberTarget(t, calls), g)
	if ctx.Err() != nil || (transcript != nil && transcript.Ended == wire.EndedInterrupted) {
		// Cut by us: nothing is stored, the target stays open, the requests stay counted.
		w.settleAlone(entry, g.sent)
		return fmt.Errorf("the visit of %s was cut: %w", v.host, context.Cause(ctx))
	}
	if probeErr != nil {
		w.Log.Error("a visit could not be tried", "target", t.TargetID, "error", probeErr)
		return w.storeUnvisited(ctx, v, t, &entry, unvisited{outcome: wire.OutcomeNothingSent, fault: probeErr.Error()})
	}
	err = w.inTx(ctx, func(tx pgx.Tx) error {
		if err := storeTranscript(ctx, tx, v.run, t.TargetID, w.worker, transcript); err != nil {
			return err
		}
		return settle(ctx, tx, entry, g.sent, w.Clock.Now())
	})
	if err != nil {
		w.settleAlone(entry, g.sent)
		return err
	}
	w.Metrics.probed(transcript)
	return nil
}

func proberTarget(t queries.OpenTargetsRow, calls []prober.Call) prober.Target {
	target := prober.Target{Key: t.Key, URL: t.Url, Purpose: wire.Main, Visit: int(t.Visit), Calls: calls}
	for _, declared := range t.Types {
		target.Declared = append(target.Declared, wire.Transport(declared))
	}
	return target
}

// unvisited is why nothing was sent to a target.
type unvisited struct {
	outcome string // by the policy of the census
	fault   string // or by our own fault
}

// storeUnvisited stores a visit in which nothing was sent, so that the target is accounted for. A reservation that was
// made for it is settled with it.
func (w *probeWorker) storeUnvisited(ctx context.Context, v *visit, t queries.OpenTargetsRow, entry *ledgerEntry, why unvisited) error {
	now := w.Clock.Now()
	params := queries.InsertProbeParams{
		RunID: v.run, TargetID: t.TargetID, Purpose: string(wire.Main), Visit: t.Visit, Eras: []string{}, Worker: w.worker,
		StartedAt: now, FinishedAt: now, Outcome: why.outcome, Ended: string(wire.EndedDone), Error: some(why.fault),
	}
	return w.inTx(ctx, func(tx pgx.Tx) error {
		if err := queries.New(tx).InsertProbe(ctx, params); err != nil {
			return fmt.Errorf("store the visit of target %d: %w", t.TargetID, err)
		}
		if entry == nil {
			return nil
		}
		return settle(ctx, tx, *entry, 0, now)
	})
}

// ledgerEntry is a reservation that is to be settled.
type ledgerEntry struct {
	queries.ReserveLedgerParams
	attempt int32
	spent   int64 // on this target so far, this reservation included
}

func (w *probeWorker) reserve(ctx context.Context, v *visit, target int64, number int32, requests int) (ledgerEntry, error) {
	entry := ledgerEntry{ReserveLedgerParams: queries.ReserveLedgerParams{
		RunID: v.run, Host: v.host, TargetID: target, Purpose: string(wire.Main), Visit: number, Worker: w.worker,
		Reserved: int32(requests), ReservedAt: w.Clock.Now(),
	}}
	var err error
	if entry.attempt, err = queries.New(w.Pool).ReserveLedger(ctx, entry.ReserveLedgerParams); err != nil {
		return entry, fmt.Errorf("reserve requests for host %s: %w", v.host, err)
	}
	entry.spent, err = queries.New(w.Pool).SpentOnTarget(ctx, queries.SpentOnTargetParams{RunID: v.run, Host: v.host, TargetID: target})
	if err != nil {
		return entry, fmt.Errorf("add up what host %s has paid: %w", v.host, err)
	}
	return entry, nil
}

func settle(ctx context.Context, db queries.DBTX, e ledgerEntry, sent int, now time.Time) error {
	n := int32(sent)
	err := queries.New(db).SettleLedger(ctx, queries.SettleLedgerParams{
		RunID: e.RunID, Host: e.Host, TargetID: e.TargetID, Purpose: e.Purpose, Visit: e.Visit, Attempt: e.attempt, Sent: &n, SettledAt: &now,
	})
	if err != nil {
		return fmt.Errorf("settle the ledger of host %s: %w", e.Host, err)
	}
	return nil
}

// settleAlone settles a visit that is not stored. Should it fail, the whole reservation counts as spent, which is the
// safe side.
func (w *probeWorker) settleAlone(e ledgerEntry, sent int) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := settle(ctx, w.Pool, e, sent, w.Clock.Now()); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		w.Log.Warn("could not settle the ledger", "error", err)
	}
}
