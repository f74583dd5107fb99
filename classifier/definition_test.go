package classifier_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier"
)

const valid = `name: x
version: 1
summary: S.
definition: D.
source: MCP
reads: [discover]
questions:
  - id: x.a
    question: Is it?
    unit: endpoint
    kind: field
    numerator: n
    denominator: d
    noun: n
    labels: [one, two]
    heuristic_labels: [two]
    reasons: [why]
`

func TestParseDefinition(t *testing.T) {
	t.Parallel()
	d, err := classifier.ParseDefinition([]byte(valid))
	if err != nil {
		t.Fatal(err)
	}
	if d.Questions[0].HeuristicLabels[0] != "two" || len(d.Digest()) != 12 {
		t.Errorf("read as %+v, digest %s", d, d.Digest())
	}
	for name, change := range map[string][2]string{
		"unknown member":          {"summary: S.", "summary: S.\ncolour: red"},
		"unknown question member": {"unit: endpoint", "unit: endpoint\n    colour: red"},
		"member twice":            {"version: 1", "version: 1\nversion: 2"},
		"second document":         {"    reasons: [why]", "    reasons: [why]\n---\nname: y"},
		"no name":                 {"name: x", "name: ''"},
		"name":                    {"name: x", "name: X y"},
		"version":                 {"version: 1", "version: 0"},
		"version text":            {"version: 1", "version: one"},
		"no summary":              {"summary: S.", "summary: ''"},
		"no reads":                {"reads: [discover]", "reads: []"},
		"unknown step":            {"reads: [discover]", "reads: [discovery]"},
		"step twice":              {"reads: [discover]", "reads: [discover, discover]"},
		"other prefix":            {"id: x.a", "id: y.a"},
		"id":                      {"id: x.a", "id: x"},
		"no question mark":        {"Is it?", "It is."},
		"unit":                    {"unit: endpoint", "unit: server"},
		"kind":                    {"kind: field", "kind: guess"},
		"no numerator":            {"numerator: n", "numerator: ''"},
		"label with a space":      {"[one, two]", "['one two', two]"},
		"label twice":             {"[one, two]", "[two, two]"},
		"shared reason":           {"[why]", "[auth_required]"},
		"foreign heuristic":       {"heuristic_labels: [two]", "heuristic_labels: [three]"},
		"no YAML":                 {"name: x", "name: [x"},
	} {
		text := strings.Replace(valid, change[0], change[1], 1)
		if text == valid {
			t.Fatalf("%s changes nothing", name)
		}
		if _, err := classifier.ParseDefinition([]byte(text)); !errors.Is(err, classifier.ErrDefinition) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := classifier.ParseDefinition(nil); !errors.Is(err, classifier.ErrDefinition) {
		t.Errorf("empty: error %v", err)
	}
	question := valid[strings.Index(valid, "  - id"):]
	if _, err := classifier.ParseDefinition([]byte(valid + question)); !errors.Is(err, classifier.ErrDefinition) {
		t.Errorf("question twice: error %v", err)
	}
}

func TestMustNewPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic for an invalid definition")
		}
	}()
	classifier.MustNew([]byte("name: x"), nil)
}

func FuzzParseDefinition(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte("name: *x"))
	f.Fuzz(func(t *testing.T, yml []byte) {
		d, err := classifier.ParseDefinition(yml)
		if err == nil && (d.Name == "" || len(d.Questions) == 0) {
			t.Errorf("accepted %+v", d)
		}
	})
}
