package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The direction of imports is what keeps verdicts downstream: prober and classifier know neither the database nor the
// queue nor each other, and River has one importer.
func TestImports(t *testing.T) {
	t.Parallel()
	const module = "github.com/mcpcensus/mcpcensus/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("list the packages: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(fields[0], module)
		for _, to := range fields[1:] {
			to, ours := strings.CutPrefix(to, module)
			under := func(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
			wrong := ""
			switch {
			case !ours && strings.Contains(to, "riverqueue") && from != "crawler/job":
				wrong = "only crawler/job imports River"
			case !ours && strings.Contains(to, "jackc/pgx") && (under(from, "prober") || under(from, "classifier")):
				wrong = "prober and classifier know no database"
			case !ours:
			case (from == "prober/wire" || from == "prober/schema") && !under(to, "prober/wire"):
				wrong = "prober/wire and prober/schema stand alone"
			case under(from, "prober") && (under(to, "classifier") || under(to, "queries")):
				wrong = "the prober knows no verdict and no store"
			case under(from, "classifier") && !under(to, "classifier") && to != "prober/wire" && to != "prober/schema":
				wrong = "classifiers read transcripts and nothing else"
			case under(to, "cmd"):
				wrong = "nothing imports cmd"
			}
			if wrong != "" {
				t.Errorf("%s imports %s: %s", from, to, wrong)
			}
		}
	}
}
