package rate

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// study are 3,685 responders of 6,106 eligible, from the raw data of the oracle.
func study(t *testing.T) Input {
	t.Helper()
	counts := clustersOf(t, "c4_heavy_ear", "cluster")
	return Input{
		Subject: Subject{
			ID: "unknown_tool.tool_error", Snapshot: "2026-12-01", Classifier: "unknowntool", Version: 1, Digest: "0123abcd",
			Kind: Field, Unit: "endpoint", Noun: "responding endpoints", Denominator: "endpoints that answered the call",
			Frame: Frame{N: 6106, Unit: "endpoint", Def: "eligible endpoints", Missing: map[string]int64{"connect.refused": 2000, "auth_required": 421}},
		},
		Numerator: "result.isError is true", Operators: counts, Publishers: counts,
	}
}

func build(t *testing.T, in Input) Row {
	t.Helper()
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func with(in Input, change func(*Input)) Input {
	change(&in)
	return in
}

func toolRow(in *Input) {
	in.Unit, in.Noun = "tool", "write tools"
	in.Frame = Frame{N: 6106, Unit: "endpoint", Def: "eligible endpoints", Missing: map[string]int64{"no_list": 2421}}
}

func TestRender(t *testing.T) {
	t.Parallel()
	flat := func(g, m, y int64) []ClusterCount { return []ClusterCount{{m, y, g}} }
	for _, tc := range []struct {
		name   string
		change func(*Input)
		want   string
	}{
		{"field", func(in *Input) {
			in.Operators = clustersOf(t, "c1_equal_icc0", "cluster")
			in.Publishers, in.Frame.N = in.Operators, 3421
		}, "306 of 1,000 responding endpoints · 30.6 % [27.8–33.6 across operators] · per publisher 30.6 % [27.8–33.6] · all 3,421 eligible: 8.9–79.7 % · exact field test"},
		{"few operators drive the variance", func(*Input) {},
			"3,176 of 3,685 responding endpoints · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · all 6,106 eligible: 52.0–91.7 % · exact field test"},
		{"excluded units leave the frame", func(in *Input) {
			in.Excluded = map[string]int64{"no_modern_era": 421}
			in.Frame.Missing = map[string]int64{"connect.refused": 2000}
		}, "3,176 of 3,685 responding endpoints · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · all 5,685 eligible: 55.9–91.0 % · exact field test"},
		{"heuristic without an audit", func(in *Input) { in.Kind = Heuristic },
			"3,176 of 3,685 responding endpoints · 86.2 % · 2,421 of 6,106 eligible without a verdict · heuristic, unaudited"},
		{"audit of another version", func(in *Input) { in.Kind, in.Audit = Heuristic, &Audit{"a1", "unknowntool", 2} },
			"3,176 of 3,685 responding endpoints · 86.2 % · 2,421 of 6,106 eligible without a verdict · heuristic, unaudited"},
		{"heuristic with an audit", func(in *Input) { in.Kind, in.Audit = Heuristic, &Audit{"a1", "unknowntool", 1} },
			"3,176 of 3,685 responding endpoints · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · all 6,106 eligible: 52.0–91.7 % · heuristic, audit a1"},
		{"tools have no bounds", toolRow,
			"3,176 of 3,685 write tools · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · no bounds, as nobody knows how many tools the 2,421 silent of 6,106 endpoints have · exact field test"},
		{"tools without a verdict", func(in *Input) {
			toolRow(in)
			in.Unknown = map[string]int64{"revision_unknown": 1200, "duplicate_key": 3}
		}, "3,176 of 3,685 write tools · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · 1,203 more tools without a verdict · no bounds, as nobody knows how many tools the 2,421 silent of 6,106 endpoints have · exact field test"},
		{"one tool without a verdict, every endpoint with a list, unaudited", func(in *Input) {
			toolRow(in)
			in.Kind, in.Frame.Missing, in.Unknown = Heuristic, nil, map[string]int64{"panic": 1}
		}, "3,176 of 3,685 write tools · 86.2 % · 1 more tool without a verdict · heuristic, unaudited"},
		{"no tool has a verdict", func(in *Input) {
			toolRow(in)
			in.Operators, in.Publishers, in.Unknown = nil, nil, map[string]int64{"revision_unknown": 7}
		}, "0 of 0 write tools · counts only: no tool has a verdict · 7 more tools without a verdict · no bounds, as nobody knows how many tools the 2,421 silent of 6,106 endpoints have · exact field test"},
		{"a sample", func(in *Input) { in.Frame.Noun = "sampled" },
			"3,176 of 3,685 responding endpoints · per publisher 86.0 % [84.5–87.3] · pooled 86.2 % [83.6–88.4 across operators], 85.7 % without the largest operator · all 6,106 sampled: 52.0–91.7 % · exact field test"},
		{"a sample, unaudited", func(in *Input) { in.Frame.Noun, in.Kind = "sampled", Heuristic },
			"3,176 of 3,685 responding endpoints · 86.2 % · 2,421 of 6,106 sampled without a verdict · heuristic, unaudited"},
		{"a sample that answered", func(in *Input) {
			in.Operators, in.Publishers = flat(200, 1, 1), flat(200, 1, 1)
			in.Frame = Frame{N: 200, Unit: "endpoint", Def: "sampled endpoints", Noun: "sampled"}
		}, "200 of 200 responding endpoints · 100.0 % [98.1–100.0 across operators] · per publisher 100.0 % [98.1–100.0] · all 200 sampled have a verdict · exact field test"},
		{"few units", func(in *Input) {
			in.Operators, in.Publishers = flat(24, 1, 1), flat(24, 1, 1)
			in.Frame.N, in.Frame.Missing = 30, map[string]int64{"tls.certificate": 6}
		}, "24 of 24 responding endpoints · counts only: fewer than 25 endpoints · 6 of 30 eligible without a verdict · exact field test"},
		{"few operators", func(in *Input) {
			in.Operators, in.Publishers = flat(9, 5, 2), flat(9, 5, 2)
			in.Frame.N, in.Frame.Missing = 45, nil
		}, "18 of 45 responding endpoints · counts only: fewer than 10 operators · exact field test"},
		{"one operator has most", func(in *Input) {
			in.Operators = append(flat(20, 1, 0), ClusterCount{40, 40, 1})
			in.Frame.N, in.Frame.Missing = 60, nil
		}, "40 of 60 responding endpoints · counts only: one operator has more than 40 % of the endpoints · exact field test"},
		{"nothing answered", func(in *Input) {
			in.Operators, in.Publishers, in.Frame.N = nil, nil, 2421
		}, "0 of 0 responding endpoints · counts only: no endpoint has a verdict · 2,421 of 2,421 eligible without a verdict · exact field test"},
		{"nothing eligible", func(in *Input) {
			in.Operators, in.Publishers, in.Frame.N, in.Frame.Missing = nil, nil, 0, nil
		}, "0 of 0 responding endpoints · counts only: no endpoint has a verdict · exact field test"},
		{"one operator dominates", func(in *Input) {
			in.Operators = append(flat(40, 1, 0), flat(40, 2, 2)...)
			in.Operators = append(in.Operators, ClusterCount{40, 40, 1})
			in.Publishers = append(flat(40, 1, 0), flat(40, 2, 2)...)
			in.Frame.N, in.Frame.Missing = 160, nil
		}, "120 of 160 responding endpoints · per publisher 50.0 % [39.1–60.9] · pooled 75.0 % [55.2–88.0 across operators], 66.7 % without the largest operator · all 160 eligible have a verdict · exact field test"},
		{"rare", func(in *Input) {
			in.Operators, in.Publishers = append(flat(5000, 1, 0), ClusterCount{1, 1, 1}), flat(5000, 1, 0)
			in.Frame.N, in.Frame.Missing = 5001, nil
		}, "1 of 5,001 responding endpoints · 0.02 % [0.004–0.1 across operators] · per publisher 0.0 % [0.0–0.1] · all 5,001 eligible have a verdict · exact field test"},
	} {
		r := build(t, with(study(t), tc.change))
		if got := Render(r); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
		if faults := Lint(r); len(faults) > 0 {
			t.Errorf("%s: lint says %q", tc.name, faults)
		}
	}
}

func TestRowJSON(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]Input{
		"field": study(t), "tools": with(study(t), toolRow),
		"unaudited": with(study(t), func(in *Input) { in.Kind = Heuristic }),
		"unknown": with(study(t), func(in *Input) {
			toolRow(in)
			in.Unknown, in.Frame.Noun = map[string]int64{"revision_unknown": 1200, "duplicate_key": 3}, "sampled"
		}),
	} {
		got, err := json.MarshalIndent(build(t, in), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(in.Operators)
		again, _ := json.MarshalIndent(build(t, in), "", "  ")
		if d := cmp.Diff(string(got), string(again)); d != "" {
			t.Errorf("%s: the order of the operators changes the row: %s", name, d)
		}
		path := filepath.Join("testdata", "row_"+name+".json")
		if *update {
			if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		var back Row
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if back.Numerator.X != 3176 {
			t.Errorf("%s: the row does not survive JSON: %+v", name, back)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Input){
		"lost units":       func(in *Input) { in.Frame.N++ },
		"counted twice":    func(in *Input) { in.Frame.Missing = map[string]int64{"x": 2421, "y": 1} },
		"negative cause":   func(in *Input) { in.Excluded = map[string]int64{"x": -1}; in.Frame.N-- },
		"negative unknown": func(in *Input) { toolRow(in); in.Unknown = map[string]int64{"x": -1} },
		"unknown twice":    func(in *Input) { in.Unknown = map[string]int64{"x": 1} },
		"no kind":          func(in *Input) { in.Kind = "" },
		"no unit":          func(in *Input) { in.Unit = "" },
		"no frame":         func(in *Input) { in.Frame = Frame{} },
		"no publishers":    func(in *Input) { in.Publishers = nil },
		"silent > frame":   func(in *Input) { toolRow(in); in.Frame.N = 2420 },
		"no denominator":   func(in *Input) { in.Denominator = "" },
		"nameless number":  func(in *Input) { in.ID = "" },
	} {
		if _, err := Build(with(study(t), change)); !errors.Is(err, ErrInput) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Build(with(study(t), func(in *Input) { in.Operators = []ClusterCount{{1, 2, 1}} })); !errors.Is(err, ErrCounts) {
		t.Errorf("impossible counts: error %v", err)
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	text := func(s string) *string { return &s }
	for _, tc := range []struct {
		name  string
		spoil func(*Row)
		want  string
	}{
		{"no frame", func(r *Row) { r.Frame.N = 0; r.Frame.Unit = "x"; r.Bounds = nil }, "no N"},
		{"no causes", func(r *Row) { r.Frame.Missing = nil }, "missing_by_cause"},
		{"no causes beside the denominator", func(r *Row) { r.Denominator.Missing = nil }, "the denominator has no missing_by_cause"},
		{"counted in two places", func(r *Row) { r.Denominator.Missing["x"] = 1 }, "twice"},
		{"no noun", func(r *Row) { r.Frame.Noun = "" }, "no noun"},
		{"lost units", func(r *Row) { r.Frame.N++ }, "the frame has"},
		{"no clusters", func(r *Row) { r.Cluster = nil }, "cluster block"},
		{"other unit", func(r *Row) { r.Numerator.Unit = "tool" }, "counts tools over endpoints"},
		{"bounds over another frame", func(r *Row) { r.Frame.Unit = "package" }, "bounds for endpoints"},
		{"few operators", func(r *Row) { r.Cluster.G = 9 }, "fewer than 10 operators"},
		{"large share", func(r *Row) { r.Cluster.MaxShare = number(0.41) }, "more than 40 %"},
		{"wrong rounding", func(r *Row) { r.Estimate = number(0.862) }, "is not 3176/3685"},
		{"no audit", func(r *Row) { r.Kind = Heuristic }, "without an audit"},
		{"old audit", func(r *Row) {
			r.Kind, r.Noise.Audit, r.Noise.AuditOf = Heuristic, text("a1"), text("unknowntool/v0")
		}, "not one of unknowntool/v1"},
		{"words", func(r *Row) { r.Reading = "a False-positive rate of 3 %" }, "false positive rate"},
	} {
		r := build(t, study(t))
		tc.spoil(&r)
		faults := Lint(r)
		if len(faults) != 1 || !strings.Contains(faults[0], tc.want) {
			t.Errorf("%s: lint says %q, want one with %q", tc.name, faults, tc.want)
		}
	}
}

func TestBreakdown(t *testing.T) {
	t.Parallel()
	s := study(t).Subject
	b, err := BuildBreakdown(s, []LabelCount{{Label: "b", X: 5}, {Label: "a", X: 5, Unaudited: true}, {Label: "c", X: 3675}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"3,675 of 3,685 responding endpoints · c",
		"5 of 3,685 responding endpoints · a · unaudited",
		"5 of 3,685 responding endpoints · b",
	}
	if d := cmp.Diff(want, RenderBreakdown(b)); d != "" {
		t.Error(d)
	}
	for name, counts := range map[string][]LabelCount{
		"lost units": {{Label: "a", X: 3684}},
		"twice":      {{Label: "a", X: 3684}, {Label: "a", X: 1}},
		"negative":   {{Label: "a", X: 3686}, {Label: "b", X: -1}},
	} {
		if _, err := BuildBreakdown(s, counts); !errors.Is(err, ErrInput) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s.Kind = Heuristic
	b, err = BuildBreakdown(s, []LabelCount{{Label: "a", X: 3685}})
	if err != nil || !b.Counts[0].Unaudited {
		t.Errorf("heuristic: %+v, %v", b.Counts, err)
	}
}

func TestThousandsAndPercent(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s, want %s", n, got, want)
		}
	}
	for p, want := range map[float64]string{0: "0.0", 1: "100.0", 0.5: "50.0", 0.0004: "0.04", 0.99999: "99.999", 1e-9: "0.0000"} {
		if got := percent(p); got != want {
			t.Errorf("percent(%g) = %s, want %s", p, got, want)
		}
	}
}
