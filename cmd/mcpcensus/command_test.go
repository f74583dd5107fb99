package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

// Every command says what it does and shows an example.
func TestHelp(t *testing.T) {
	t.Parallel()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: short %q, example %q", cmd.CommandPath(), cmd.Short, cmd.Example)
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub)
			}
		}
	}
	visit(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))
}

// Wrong usage has its own exit code and one sentence that says where to look.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"nonsense"}, {"run", "--no-such-flag"}, {"run", "extra"}, {"run", "--limit", "-1"}, {"run", "--gap", "-1s"}, {"run", "--registry-rate", "0"},
		{"run", "--registry-url", "ftp://x"}, {"run", "--registry-url", "https://x.org/?q"}, {"run", "--allow-calls", "/no/such/file"},
		{"run", "--opt-out", "/no/such/file"}, {"report", "--format", "xml"}, {"report", "a", "b"}, {"demo", "--size", "0"}, {"version", "x"},
	} {
		code, out, errors := command(t, args...)
		if code != exitUsage || out != "" || strings.Count(errors, "\n") != 1 || !strings.HasPrefix(errors, "mcpcensus: ") {
			t.Errorf("%v: exit code %d, printed %q and %q", args, code, out, errors)
		}
	}
}

// The demo agrees with the truth, stays in the database for every other command, and the commands agree with each other.
func TestDemo(t *testing.T) {
	t.Parallel()
	database := testdb.Empty(t)
	code, out, errors := command(t, "demo", "--database-url", database, "--size", "20", "--format", "json")
	if code != exitOK || !strings.Contains(errors, "agrees with the truth") {
		t.Fatalf("exit code %d\n%s", code, errors)
	}
	var fromDemo report.Report
	if err := json.Unmarshal([]byte(out), &fromDemo); err != nil {
		t.Fatal(err)
	}
	if !fromDemo.Simulated || !strings.HasPrefix(fromDemo.Run, "demo-") || fromDemo.Stage != "closed" {
		t.Errorf("run %q, simulated %v, stage %q", fromDemo.Run, fromDemo.Simulated, fromDemo.Stage)
	}
	_, again, _ := command(t, "report", "latest", "--database-url", database, "--format", "json")
	if again != out {
		t.Error("report does not print what demo printed")
	}
	_, table, _ := command(t, "report", "--database-url", database, "--format", "csv")
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(records) != len(fromDemo.Rates)+1 {
		t.Errorf("%d CSV records for %d rates (%v)", len(records), len(fromDemo.Rates), err)
	}
	for _, format := range []string{"text", "markdown"} {
		if _, text, _ := command(t, "report", fromDemo.Run, "--database-url", database, "--format", format); !strings.Contains(text, "unknown_tool.tool_error") &&
			!strings.Contains(text, `unknown\_tool.tool\_error`) {
			t.Errorf("%s has no unknown_tool.tool_error:\n%s", format, text)
		}
	}
	if code, status, _ := command(t, "db", "status", "--database-url", database); code != exitOK || !strings.Contains(status, fromDemo.Run) {
		t.Errorf("db status: exit code %d\n%s", code, status)
	}
	if code, _, errors := command(t, "report", "2001-01-01", "--database-url", database); code != exitFailed || !strings.Contains(errors, "no such run") {
		t.Errorf("a run that does not exist: exit code %d, %q", code, errors)
	}
	if code, _, errors := command(t, "probe", "latest", "--database-url", database); code != exitFailed || !strings.Contains(errors, "is closed") {
		t.Errorf("probe of a closed run: exit code %d, %q", code, errors)
	}
}

// A census that may visit nobody says so, and where to read why.
func TestNobodyToVisit(t *testing.T) {
	t.Parallel()
	w := world.New(6, 5)
	registry, stop, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	database := testdb.Empty(t)
	code, out, errors := command(t, "crawl", "--registry-url", registry, "--database-url", database, "--registry-rate", "1000", "--spot-checks", "2")
	if code != exitOK || !strings.Contains(errors, "no endpoint may be visited") || !strings.Contains(out, "mcpcensus probe") {
		t.Errorf("exit code %d, printed %q and %q", code, out, errors)
	}
	if _, text, _ := command(t, "report", "--database-url", database); !strings.Contains(text, "not eligible: private_address") {
		t.Errorf("the report does not say why:\n%s", text)
	}
}
