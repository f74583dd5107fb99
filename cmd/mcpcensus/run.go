package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/queries"
)

// runFlags are the choices for a new run; a resumed run keeps the ones that it was started with.
type runFlags struct {
	settings    job.Settings
	callsFile   string
	optOutFile  string
	fresh       bool
	incremental bool
	jump        string
	// classifyOnly refuses a run that still has visits to make.
	classifyOnly bool
	concurrency  int
}

func (f *runFlags) register(cmd *cobra.Command) {
	f.settings = job.DefaultSettings()
	s, flags := &f.settings, cmd.Flags()
	flags.StringVar(&s.RegistryURL, "registry-url", s.RegistryURL, "base URL of the registry")
	flags.IntVar(&s.Limit, "limit", 0, "visit a sample of this many endpoints, drawn by --seed (0: all)")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of every choice by chance")
	flags.BoolVar(&s.AllVersions, "all-versions", false, "visit endpoints that only superseded versions declare, too")
	flags.BoolVar(&s.AllowPrivate, "allow-private-networks", false, "visit loopback and private addresses, for registries and servers of your own")
	flags.DurationVar(&s.Gap, "gap", s.Gap, "time from start to start of requests to one host")
	flags.Float64Var(&s.RegistryRate, "registry-rate", s.RegistryRate, "requests a second to the registry")
	flags.DurationVar(&s.RegistryWait, "registry-wait", s.RegistryWait, "how long the registry may fail before the run pauses")
	flags.IntVar(&s.SpotChecks, "spot-checks", s.SpotChecks, "names of the registry to check against their version lists, drawn by --seed")
	flags.StringVar(&s.Contact, "contact", s.Contact, "URL in the User-Agent, for operators who want to know who visits them")
	flags.StringVar(&f.callsFile, "allow-calls", "", "file with tool calls that you take responsibility for: a JSON object a line, with endpoint, tool, arguments")
	flags.StringVar(&f.optOutFile, "opt-out", "", "file with further opt-outs, one pattern a line")
	flags.BoolVar(&f.incremental, "incremental", false, "take over the rows of the latest run and read only what the registry changed since; a full walk at least weekly stays necessary")
	flags.StringVar(&f.jump, "jump-to", "", "registry cursor to go on from when resuming a walk that met a row which the registry cannot serve")
	flags.BoolVar(&f.fresh, "new", false, "start a new run even if one is unfinished")
	f.registerConcurrency(cmd)
}

func (f *runFlags) registerConcurrency(cmd *cobra.Command) {
	f.concurrency = defaultConcurrency
	cmd.Flags().Var(concurrencyFlag{&f.concurrency}, "concurrency", "hosts visited at the same time, each politely")
}

const defaultConcurrency = 200

// concurrencyFlag is a number of hosts, at least one.
type concurrencyFlag struct{ hosts *int }

func (f concurrencyFlag) String() string { return strconv.Itoa(*f.hosts) }
func (f concurrencyFlag) Type() string   { return "int" }
func (f concurrencyFlag) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 10_000 {
		return errors.New("give a number from 1 to 10000")
	}
	*f.hosts = n
	return nil
}

// read loads the files that the flags name and checks the values.
func (f *runFlags) read() error {
	s := &f.settings
	var err error
	switch {
	case s.Limit < 0:
		return errors.New("--limit must not be negative")
	case s.Gap < 0:
		return errors.New("--gap must not be negative")
	case s.SpotChecks < 0:
		return errors.New("--spot-checks must not be negative")
	case s.RegistryRate <= 0:
		return errors.New("--registry-rate must be above 0")
	}
	if err := job.CheckContact(s.Contact); err != nil {
		return fmt.Errorf("--contact: %w", err)
	}
	if s.RegistryURL, err = job.CheckRegistryURL(s.RegistryURL); err != nil {
		return fmt.Errorf("--registry-url: %w", err)
	}
	if f.callsFile != "" {
		if s.Calls, err = job.ReadAllowedCalls(f.callsFile); err != nil {
			return fmt.Errorf("--allow-calls: %w", err)
		}
	}
	if f.optOutFile != "" {
		if s.OptOut, err = job.ReadOptOutFile(f.optOutFile); err != nil {
			return fmt.Errorf("--opt-out: %w", err)
		}
	}
	return nil
}

func newRun(a *app) *cobra.Command {
	var flags runFlags
	format := report.Text
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Take a census: walk the registry, visit every endpoint, classify, print rates",
		Long: `Take a census: walk the registry, visit every endpoint politely, store what was said, classify it and
print the rates. An unfinished run of the same registry is resumed with the settings it was started
with; --new starts another one.`,
		Example: `  mcpcensus run
  mcpcensus run --limit 200 --seed 7
  mcpcensus run --registry-url http://127.0.0.1:18981 --allow-private-networks`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.read(); err != nil {
				return usageError(err)
			}
			return a.drive(cmd.Context(), &flags, job.GoalAll, "", func(ctx context.Context, db *queries.Database, run string) error {
				return a.writeReport(ctx, db, run, format)
			})
		},
	}
	flags.register(cmd)
	registerFormat(cmd, &format)
	return cmd
}

func newCrawl(a *app) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:     "crawl",
		Short:   "Walk the registry and make the frame of a new run, visit nobody",
		Example: "  mcpcensus crawl\n  mcpcensus probe latest",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.read(); err != nil {
				return usageError(err)
			}
			return a.drive(cmd.Context(), &flags, job.GoalFrame, "", a.sayNext("mcpcensus probe"))
		},
	}
	flags.register(cmd)
	return cmd
}

func newProbe(a *app) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:     "probe [RUN]",
		Short:   "Visit the endpoints of a run (the latest one by default) that have not been visited, do not classify",
		Example: "  mcpcensus probe\n  mcpcensus probe 2026-12-01",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.drive(cmd.Context(), &flags, job.GoalProbe, first(args), a.sayNext("mcpcensus classify"))
		},
	}
	flags.registerConcurrency(cmd)
	return cmd
}

func newClassify(a *app) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "classify [RUN]",
		Short: "Classify the transcripts of a run (the latest one by default), and compute the rates",
		Long: `Classify the transcripts of a run with the classifiers of this program, and compute the rates. Nobody is
visited again: only transcripts that these versions have not seen are read.`,
		Example: "  mcpcensus classify\n  mcpcensus classify 2026-12-01",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.classifyOnly = true
			return a.drive(cmd.Context(), &flags, job.GoalAll, first(args), a.sayNext("mcpcensus report"))
		},
	}
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return job.Latest
	}
	return args[0]
}

func (a *app) sayNext(command string) func(context.Context, *queries.Database, string) error {
	return func(_ context.Context, _ *queries.Database, run string) error {
		_, err := fmt.Fprintf(a.out, "run %s: next is `%s %s`\n", run, command, run)
		return err
	}
}

// choose picks the run to work on: the one that was named, an unfinished one, or a new one.
func (a *app) choose(ctx context.Context, o job.Options, flags *runFlags, goal job.Goal, named string) (string, error) {
	if named != "" {
		run, err := job.Resolve(ctx, o.Pool, named)
		if err != nil {
			return "", err
		}
		if flags.classifyOnly {
			if err := job.CanClassify(ctx, o.Pool, run); err != nil {
				return "", err
			}
		}
		return run, job.Aim(ctx, o.Pool, run, goal)
	}
	if flags.incremental {
		var err error
		if flags.settings.Base, err = job.LatestWalked(ctx, o.Pool, flags.settings.RegistryURL); err != nil {
			return "", err
		}
	}
	if flags.fresh {
		return job.NewRun(ctx, o, flags.settings, goal, false)
	}
	run, resumed, err := job.Begin(ctx, o, flags.settings, goal)
	if err != nil || !resumed {
		return run, err
	}
	a.notice(fmt.Sprintf("resuming run %s with the settings it was started with; --new starts another one", run))
	if flags.jump != "" {
		if err := job.Jump(ctx, o.Pool, run, flags.jump); err != nil {
			return "", err
		}
	}
	return run, job.Aim(ctx, o.Pool, run, goal)
}

// drive works on a run to its goal and then calls done.
func (a *app) drive(ctx context.Context, flags *runFlags, goal job.Goal, named string, done func(context.Context, *queries.Database, string) error) error {
	return a.withDatabase(ctx, func(db *queries.Database) error { return a.driveIn(ctx, db, flags, goal, named, done) })
}

func (a *app) driveIn(ctx context.Context, db *queries.Database, flags *runFlags, goal job.Goal, named string,
	done func(context.Context, *queries.Database, string) error) error {
	metrics, stopMetrics, err := a.metrics(ctx)
	if err != nil {
		return err
	}
	defer stopMetrics()
	o := job.Options{Pool: db.Pool, Program: programVersion(), Concurrency: flags.concurrency, Log: a.log(), Metrics: metrics}
	run, err := a.choose(ctx, o, flags, goal, named)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := a.watch(ctx, o, run, howToResume(goal, named, run)); err != nil {
		return err
	}
	a.notice(fmt.Sprintf("run %s: done in %s", run, time.Since(began).Round(time.Second/10)))
	reached, err := job.Look(ctx, o, run)
	if err != nil {
		return err
	}
	if reached.Targets == 0 {
		a.notice(fmt.Sprintf("no endpoint may be visited; `mcpcensus report %s` says why (private ones need --allow-private-networks)", run))
	}
	return done(ctx, db, run)
}

// howToResume says how an operator goes on with a run.
func howToResume(goal job.Goal, named, run string) string {
	switch {
	case named == "":
		return "the same command resumes it"
	case goal == job.GoalProbe:
		return "`mcpcensus probe " + run + "` resumes it"
	default:
		return "`mcpcensus classify " + run + "` resumes it"
	}
}

// watch drives a run and shows its progress. A stop from outside becomes an error that says how to go on.
func (a *app) watch(ctx context.Context, o job.Options, run, resume string) error {
	d := a.display()
	unhook := context.AfterFunc(ctx, func() {
		a.notice("\nstopping: visits under way get a few seconds; Ctrl-C again ends the program at once")
	})
	defer unhook()
	err := job.Drive(ctx, o, run, func(p job.Progress) {
		o.Metrics.Report(p)
		d.show(p)
	})
	d.close()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &codedError{code: exitStopped, err: fmt.Errorf("run %s was stopped and nothing is lost; %s", run, resume)}
	default:
		return &codedError{code: exitStopped, err: fmt.Errorf("run %s: %w; when that is mended, %s", run, err, resume)}
	}
}
