package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/rate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// full has something under every heading, a rate of each shape, and words that could be taken for markup.
func full(t *testing.T) Report {
	t.Helper()
	finished := time.Date(2026, 12, 1, 7, 30, 0, 0, time.UTC)
	endpoint := rate.Subject{
		ID: "unknown_tool.tool_error", Snapshot: "2026-12-01", Classifier: "unknown_tool", Version: 1, Kind: rate.Field,
		Unit: "endpoint", Noun: "endpoints that answered", Denominator: "endpoints that answered the call",
		Frame: rate.Frame{N: 1200, Unit: "endpoint", Def: "eligible endpoints", Missing: map[string]int64{"connect.refused": 200}},
	}
	tool := rate.Subject{
		ID: "write_tool.verb", Snapshot: "2026-12-01", Classifier: "write_tool", Version: 1, Kind: rate.Heuristic,
		Unit: "tool", Noun: "tools", Denominator: "tools of the list", Unknown: map[string]int64{"duplicate_key": 3},
		Frame: rate.Frame{N: 1200, Unit: "endpoint", Def: "eligible endpoints", Missing: map[string]int64{"no_list": 900}},
	}
	clusters := []rate.ClusterCount{{M: 2, Y: 1, Times: 400}, {M: 1, Y: 0, Times: 200}}
	few := []rate.ClusterCount{{M: 3, Y: 2, Times: 3}}
	var rows []rate.Row
	for _, in := range []rate.Input{
		{Subject: endpoint, Numerator: "result.isError is true", Operators: clusters, Publishers: clusters},
		{Subject: tool, Numerator: "tools named by a verb, such as create_*", Operators: few, Publishers: few},
	} {
		row, err := rate.Build(in)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	endpoint.ID = "unknown_tool.mechanism"
	breakdown, err := rate.BuildBreakdown(endpoint, []rate.LabelCount{{Label: "protocol_-32602", X: 900}, {Label: "<b>|`x`", X: 90, Unaudited: true}, {X: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return Report{
		Run: "2026-12-01", Stage: "closed", Registry: "https://registry.example/v0", RegistryVersion: "1.2.3", Program: "1.0.0",
		Started: finished.Add(-7 * time.Hour), Finished: &finished,
		Walk: Walk{
			State: "closed", Unproven: []string{"page 3 was read twice"}, Pages: 120, Rows: 12345, BadRows: 2, Names: 9876,
			Latest: 9870, Active: 9000, Deprecated: 345, Deleted: 3000,
		},
		Frame: Frame{
			Declarations: 11000, RawAll: 10542, RawPlain: 9000, CanonicalLatest: 1300, Targets: 1300, Eligible: 1250, Sampled: 1200,
			Ineligible: []Count{{"template_url", 40}, {"opt_out", 10}},
		},
		Funnel:   []Step{{"eligible", 1250}, {"answered", 1000}},
		Outcomes: []Count{{"answered", 1000}, {"connect.refused", 198}, {"policy.robots", 2}},
		Ledger:   Ledger{Visits: 1300, Robots: 700, Reserved: 15600, Sent: 9100, Unsettled: 1, UnsettledRequests: 12},
		Rates:    rows, Breakdowns: []rate.Breakdown{breakdown},
	}
}

func render(t *testing.T, r Report, format Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range Formats() {
		got := render(t, full(t), Format(name))
		if again := render(t, full(t), Format(name)); again != got {
			t.Errorf("%s: not the same twice", name)
		}
		path := filepath.Join("testdata", "report."+name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if err := Write(&bytes.Buffer{}, full(t), "pdf"); err == nil || !strings.Contains(err.Error(), "text, json, csv, markdown") {
		t.Errorf("an unknown format: error %v", err)
	}
}

func TestJSONComesBack(t *testing.T) {
	t.Parallel()
	want := full(t)
	text := render(t, want, JSON)
	var got Report
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !strings.Contains(text, "<b>|`x`") {
		t.Error("words are escaped for HTML")
	}
}

func TestCSVHasOneLineARate(t *testing.T) {
	t.Parallel()
	r := full(t)
	r.Rates[1].Reading = "a, \"quoted\"\nreading"
	records, err := csv.NewReader(strings.NewReader(render(t, r, CSV))).ReadAll() // refuses lines of another length
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+len(r.Rates) {
		t.Fatalf("%d lines", len(records))
	}
	at := func(line int, column string) string {
		for i, name := range records[0] {
			if name == column {
				return records[line][i]
			}
		}
		t.Fatalf("no column %s", column)
		return ""
	}
	for column, want := range map[string]string{"run": "2026-12-01", "x": "400", "n": "1000", "frame_n": "1200", "missing": "200", "unknown": "0", "estimate": "0.4"} {
		if got := at(1, column); got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	for _, column := range []string{"estimate", "wilson_lo", "cluster_hi", "publisher_lo", "bounds_hi"} {
		if got := at(2, column); got != "" {
			t.Errorf("%s of a row of counts is %q", column, got)
		}
	}
	if got := at(2, "unknown"); got != "3" {
		t.Errorf("%s tools without a verdict", got)
	}
	if got := at(2, "reading"); got != r.Rates[1].Reading {
		t.Errorf("the reading is %q", got)
	}
}

func TestEscapeMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain text, 88.4 % [86.7–89.9]": `plain text, 88.4 % \[86.7–89.9]`,
		"*b* _i_ `c`":                    "\\*b\\* \\_i\\_ \\`c\\`",
		"<script>":                       "&lt;script>",
		"[x](https://evil.example)":      `\[x](https://evil.example)`,
		`a|b\c`:                          `a\|b\\c`,
	} {
		if got := escapeMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	part := strings.Repeat("é", 50) // counted in characters, not bytes
	for name, tc := range map[string]struct{ line, want string }{
		"short":             {"  a · b", "  a · b"},
		"two fit":           {"  " + part + " · " + part, "  " + part + " · " + part},
		"the third is next": {"  " + part + " · " + part + " · " + part, "  " + part + " · " + part + " ·\n      " + part},
		"deeper":            {"    " + part + " · " + part + " · " + part, "    " + part + " · " + part + " ·\n        " + part},
		"nowhere to break":  {strings.Repeat("x", 300), strings.Repeat("x", 300)},
		"empty":             {"", ""},
	} {
		if got := wrap(tc.line); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
	for line := range strings.Lines(render(t, full(t), Text)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > textWidth+len(" ·") && strings.Contains(line, " · ") {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	finished := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for want, r := range map[string]Report{
		"mcpcensus run a":                                              {Run: "a", Finished: &finished},
		"mcpcensus run a (a simulated world)":                          {Run: "a", Simulated: true, Finished: &finished},
		"mcpcensus run a (a simulated world), unfinished: stage probe": {Run: "a", Simulated: true, Stage: "probe"},
	} {
		if got := title(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWalkLines(t *testing.T) {
	t.Parallel()
	for want, w := range map[string]Walk{
		"walk complete: every page, reconciled, checked":  {State: "closed"},
		"walk read to the end, not proven complete: a; b": {State: "closed", Unproven: []string{"a", "b"}},
		"walk incomplete: the registry was away":          {State: "incomplete", Reason: "the registry was away"},
		"walk running":                                    {State: "running"},
	} {
		lines := walkLines(Report{Walk: w})
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A run that has just begun has little to show, and no empty headings.
func TestEmptyReport(t *testing.T) {
	t.Parallel()
	got := render(t, Report{Run: "a", Stage: "walk", Walk: Walk{State: "running"}}, Markdown)
	for _, heading := range []string{"Rates", "Breakdowns", "Outcomes", "Courtesy", "Funnel"} {
		if strings.Contains(got, heading) {
			t.Errorf("an empty section %s", heading)
		}
	}
}

// What a terminal would obey does not get there.
func TestTextIsInert(t *testing.T) {
	t.Parallel()
	r := Report{Run: "a", Outcomes: []Count{{"\x1b[31mred\u202e", 1}}}
	for _, format := range []Format{Text, Markdown, JSON} {
		if got := render(t, r, format); strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s: %q", format, got)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999", -123456: "-123,456"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %s, want %s", n, got, want)
		}
	}
}
