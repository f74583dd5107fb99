package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/queries"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is what all commands share: the global flags.
type app struct {
	streams
	dataDir     string
	databaseURL string
	metricsAddr string
	quiet       bool
	verbose     bool
}

func newRoot(s streams) *cobra.Command {
	a := &app{streams: s}
	root := &cobra.Command{
		Use:   "mcpcensus",
		Short: "Take a census of the Model Context Protocol ecosystem",
		Long: `mcpcensus walks the public MCP registry, shakes hands with every remote endpoint, stores every byte
that was said in Postgres, and derives from these transcripts how tools declare their output and how
servers report errors, as rates with honest confidence intervals.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 stopped before the end (the run can be resumed).
check has codes of its own, see mcpcensus check --help.`,
		Example: `  mcpcensus demo                       a small simulated census, without network
  mcpcensus run                        the real one
  mcpcensus report latest --format json
  mcpcensus check https://example.org/mcp`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.dataDir, "data-dir", "", "where the embedded database keeps its data (default: the platform's data directory, or $MCPCENSUS_DATA_DIR)")
	flags.StringVar(&a.databaseURL, "database-url", "", "use this Postgres instead of the embedded one (default: $MCPCENSUS_DATABASE_URL, or the PG* variables when set)")
	flags.StringVar(&a.metricsAddr, "metrics-addr", "", "serve Prometheus metrics on this address while the command works, such as 127.0.0.1:9464")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress on standard error")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log what happens inside, for debugging")
	root.AddCommand(newRun(a), newCrawl(a), newProbe(a), newClassify(a), newReport(a), newCheck(a), newDB(a), newDemo(a), newVersion())
	wrapUsage(root)
	return root
}

// wrapUsage gives errors about arguments the exit code of wrong usage, for every command.
func wrapUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapUsage(sub)
	}
}

// open connects to the database and brings its schema up to date.
func (a *app) open(ctx context.Context) (*queries.Database, error) {
	db, err := a.openAsIs(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := job.Migrate(ctx, db.Pool); err != nil {
		_ = db.Close() // the first error is the one to report
		return nil, err
	}
	return db, nil
}

// openAsIs connects without touching the schema.
func (a *app) openAsIs(ctx context.Context) (*queries.Database, error) {
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	return queries.Open(ctx, config)
}

func (a *app) config() (queries.Config, error) {
	dir := a.dataDir
	if dir == "" {
		var err error
		if dir, err = defaultDataDir(); err != nil {
			return queries.Config{}, err
		}
	}
	return queries.Config{URL: a.databaseURL, DataDir: dir, Notices: a.notice}, nil
}

// mustExist reports, as an error, that the embedded database would have to be made first.
func (a *app) mustExist() error {
	config, err := a.config()
	if err != nil || !config.WouldCreate() {
		return err
	}
	return fmt.Errorf("there is no census in %s: start one with `mcpcensus run`, try `mcpcensus demo`, or name another --data-dir", config.DataDir)
}

// notice prints a line for a person, unless they asked for quiet.
func (a *app) notice(line string) {
	if !a.quiet {
		fmt.Fprintln(a.err, line)
	}
}

func (a *app) log() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// isTerminal reports whether w is a terminal that can redraw a line.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && !strings.EqualFold(os.Getenv("TERM"), "dumb")
}
