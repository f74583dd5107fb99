package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries"
)

// demoGap is shorter than the gap of a real census: the hosts of the demo are ours.
const demoGap = 100 * time.Millisecond

func newDemo(a *app) *cobra.Command {
	var seed uint64
	var size int
	format := report.Text
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Take a census of a small simulated world and compare it with the truth",
		Long: `Start a small simulated world on loopback (a registry, and MCP servers of both eras and both transports, good
and bad), take a real census of it, print the report and compare it with what is true of the world. It
needs no network. The run stays in the database, marked as a demo, for every other command to try.

Exit codes: 0 the census agrees with the truth, 1 it does not.`,
		Example: "  mcpcensus demo\n  mcpcensus demo --size 200 --seed 3 --format markdown",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if size < 1 {
				return usageError(fmt.Errorf("--size must be at least 1"))
			}
			return a.withDatabase(cmd.Context(), func(db *queries.Database) error {
				return a.demo(cmd.Context(), db, world.New(seed, size), seed, format)
			})
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the world")
	cmd.Flags().IntVar(&size, "size", world.DemoSize, "endpoints in the world")
	registerFormat(cmd, &format)
	return cmd
}

func (a *app) demo(ctx context.Context, db *queries.Database, w *world.World, seed uint64, format report.Format) error {
	// The world outlives a Ctrl-C by the time that visits under way need: it must not refuse them.
	url, stop, err := w.Start(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer stop()
	metrics, stopMetrics, err := a.metrics(ctx)
	if err != nil {
		return err
	}
	defer stopMetrics()
	o := job.Options{Pool: db.Pool, Program: programVersion(), Log: a.log(), Metrics: metrics}
	settings := job.DefaultSettings()
	settings.RegistryURL, settings.AllowPrivate, settings.Seed = url, true, seed
	settings.Gap, settings.RegistryRate = demoGap, 1000
	run, err := job.NewRun(ctx, o, settings, job.GoalAll, true)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := a.watch(ctx, o, run, "its simulated world is gone with it, so start another demo"); err != nil {
		return err
	}
	a.notice(fmt.Sprintf("run %s: done in %s", run, time.Since(began).Round(time.Second/10)))
	if err := a.writeReport(ctx, db, run, format); err != nil {
		return err
	}
	return a.compare(ctx, db, run, w.Truth())
}

// compare holds what the census found against what is true of the world.
func (a *app) compare(ctx context.Context, db *queries.Database, run string, truth world.Truth) error {
	counts, observed, err := job.Observations(ctx, db.Pool, run)
	if err != nil {
		return err
	}
	differences := truth.Compare(counts, observed)
	if len(differences) > 0 {
		for _, d := range differences {
			fmt.Fprintln(a.err, "differs:", d)
		}
		return fmt.Errorf("run %s differs from the truth of the simulated world in %d places", run, len(differences))
	}
	a.notice(fmt.Sprintf("\nThe census agrees with the truth of the simulated world: %d findings on %d endpoints. Try next:\n"+
		"  mcpcensus report %s --format json\n  mcpcensus db psql -- -c 'select outcome, count(*) from probe group by 1'",
		len(observed), len(truth.Endpoints), run))
	return nil
}
