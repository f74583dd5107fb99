package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/redact"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/migrations"
	"github.com/mcpcensus/mcpcensus/queries"
)

func newDB(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "Look after the database",
		Example: "  mcpcensus db status\n  mcpcensus db psql -- -c 'select * from run'",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDBURL(a), newDBPsql(a), newDBMigrate(a), newDBStatus(a))
	return cmd
}

func newDBURL(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "url",
		Short: "Print the URL of the database",
		Long: `Print the URL of the database. The embedded server runs only while a command needs it; db psql keeps it
running for as long as the shell is open.`,
		Example: "  mcpcensus db url",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withExisting(cmd.Context(), func(db *queries.Database) error {
				_, err := fmt.Fprintln(a.out, db.URL)
				return err
			})
		},
	}
}

func newDBPsql(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "psql [-- ARGUMENTS OF PSQL]",
		Short:   "Open a psql shell on the database; what psql shall read stands behind --",
		Example: "  mcpcensus db psql\n  mcpcensus db psql -- -c 'select run_id, stage from run'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withExisting(cmd.Context(), func(db *queries.Database) error {
				argv, err := db.Psql()
				if err != nil {
					return err
				}
				// Ctrl-C belongs to the shell: it ends a query there, not this program.
				shell := exec.CommandContext(context.WithoutCancel(cmd.Context()), argv[0], append(argv[1:], args...)...)
				shell.Stdin, shell.Stdout, shell.Stderr = a.in, a.out, a.err
				if err := shell.Run(); err != nil {
					if code := shell.ProcessState.ExitCode(); code > 0 {
						return &codedError{code: code} // psql has said why
					}
					return fmt.Errorf("run psql: %w", err)
				}
				return nil
			})
		},
	}
}

func newDBMigrate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the schema to the version of this program",
		Example: "  mcpcensus db migrate",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return hold(cmd.Context(), a.openAsIs, func(db *queries.Database) error {
				applied, err := job.Migrate(cmd.Context(), db.Pool)
				if err != nil {
					return err
				}
				if len(applied) == 0 {
					applied = []string{"nothing to do, the schema is up to date"}
				}
				_, err = fmt.Fprintln(a.out, strings.Join(applied, "\n"))
				return err
			})
		},
	}
}

// status is what db status prints.
type status struct {
	URL        string             `json:"url"`
	Embedded   bool               `json:"embedded"`
	Server     string             `json:"server_version"`
	Size       string             `json:"size"`
	Migrations []migrations.State `json:"migrations"`
	Runs       []job.Progress     `json:"runs"`
}

func newDBStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show the database, the version of its schema, and the runs in it",
		Example: "  mcpcensus db status\n  mcpcensus db status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withExisting(cmd.Context(), func(db *queries.Database) error {
				s, err := readStatus(cmd.Context(), db)
				if err != nil {
					return err
				}
				if asJSON {
					encoder := json.NewEncoder(a.out)
					encoder.SetIndent("", "  ")
					return encoder.Encode(s)
				}
				return printStatus(a, s)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readStatus(ctx context.Context, db *queries.Database) (status, error) {
	s := status{URL: redact.URL(db.URL), Embedded: db.Embedded}
	q := queries.New(db.Pool)
	server, err := q.ServerStatus(ctx)
	if err != nil {
		return s, fmt.Errorf("ask the server about itself: %w", err)
	}
	s.Server, s.Size = server.Version, server.Size
	if s.Migrations, err = migrations.Status(ctx, db.Pool); err != nil {
		return s, err
	}
	runs, err := q.ListRuns(ctx)
	if err != nil {
		return s, fmt.Errorf("list the runs: %w", err)
	}
	for _, r := range runs {
		p, err := job.Look(ctx, job.Options{Pool: db.Pool}, r.RunID)
		if err != nil {
			return s, err
		}
		s.Runs = append(s.Runs, p)
	}
	return s, nil
}

func printStatus(a *app, s status) error {
	kind := "given by URL"
	if s.Embedded {
		kind = "embedded"
	}
	fmt.Fprintf(a.out, "Postgres %s, %s, %s, schema version %d\n%s\n\n", s.Server, kind, s.Size, len(s.Migrations), s.URL)
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTAGE\tROWS\tENDPOINTS\tVISITED\tCLASSIFIED\tNOTE")
	for _, p := range s.Runs {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", p.Run, p.Stage, p.Rows, p.Targets, p.Probed, p.Classified, p.Failure)
	}
	if len(s.Runs) == 0 {
		fmt.Fprintln(w, "none yet\t\t\t\t\t\tstart one with `mcpcensus run`, or try `mcpcensus demo`")
	}
	return w.Flush()
}
