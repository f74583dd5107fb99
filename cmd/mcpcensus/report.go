package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/queries"
)

// formatFlag is a report format on the command line.
type formatFlag struct{ format *report.Format }

func (f formatFlag) String() string { return string(*f.format) }
func (f formatFlag) Type() string   { return "format" }
func (f formatFlag) Set(value string) error {
	for _, known := range report.Formats() {
		if value == known {
			*f.format = report.Format(value)
			return nil
		}
	}
	return fmt.Errorf("choose one of %v", report.Formats())
}

func registerFormat(cmd *cobra.Command, format *report.Format) {
	cmd.Flags().Var(formatFlag{format}, "format", "text, json, csv or markdown")
	err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was registered a line above
	}
}

func newReport(a *app) *cobra.Command {
	format := report.Text
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Print what a run found (the latest one by default)",
		Long: `Print what a run found: the registry, the frame, the funnel, the rates with their intervals, and what it
cost the operators. It also works beside a run that is under way.`,
		Example: "  mcpcensus report\n  mcpcensus report 2026-12-01 --format json\n  mcpcensus report latest --format csv > rates.csv",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withExisting(cmd.Context(), func(db *queries.Database) error {
				run, err := job.Resolve(cmd.Context(), db.Pool, first(args))
				if err != nil {
					return err
				}
				return a.writeReport(cmd.Context(), db, run, format)
			})
		},
	}
	registerFormat(cmd, &format)
	return cmd
}

func (a *app) writeReport(ctx context.Context, db *queries.Database, run string, format report.Format) error {
	r, err := job.Report(ctx, db.Pool, run)
	if err != nil {
		return err
	}
	return report.Write(a.out, r, format)
}

// withExisting opens a database that must be there already: a command that only reads would answer a mistyped directory
// with an empty census.
func (a *app) withExisting(ctx context.Context, do func(db *queries.Database) error) error {
	if err := a.mustExist(); err != nil {
		return err
	}
	return a.withDatabase(ctx, do)
}

// withDatabase opens the database for one command, with its schema up to date.
func (a *app) withDatabase(ctx context.Context, do func(db *queries.Database) error) error {
	return hold(ctx, a.open, do)
}

// hold opens a database, and closes it after do; the first error counts.
func hold(ctx context.Context, open func(context.Context) (*queries.Database, error), do func(db *queries.Database) error) (err error) {
	db, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	}()
	return do(db)
}
