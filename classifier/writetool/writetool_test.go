package writetool_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/writetool"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestWriteTool(t *testing.T) {
	t.Parallel()
	c := writetool.New()
	for _, tc := range []struct {
		annotations                string
		annotated, byDefault, verb string
	}{
		{``, "false absent", "true absent", "true create"},
		{`,"annotations":{}`, "false absent", "true absent", "true create"},
		{`,"annotations":null`, "false absent", "true absent", "true create"},
		{`,"annotations":[{"readOnlyHint":false}]`, "false absent", "true absent", "true create"},
		{`,"readOnlyHint":false`, "false absent", "true absent", "true create"},
		{`,"annotations":{"readOnlyHint":false}`, "true false", "true false", "not_applicable hint_is_boolean"},
		{`,"annotations":{"readOnlyHint":true}`, "false true", "false true", "not_applicable hint_is_boolean"},
		{`,"annotations":{"readOnlyHint":"false"}`, "false not_boolean", "true not_boolean", "true create"},
		{`,"annotations":{"readOnlyHint":null}`, "false not_boolean", "true not_boolean", "true create"},
		{`,"annotations":{"ReadOnlyHint":true}`, "false absent", "true absent", "true create"},
		{`,"annotations":{"destructiveHint":true}`, "false absent", "true absent", "true create"},
		{`,"annotations":{"readOnlyHint":true},"annotations":{}`, "not_supported duplicate_key", "not_supported duplicate_key", "not_supported duplicate_key"},
		{`,"annotations":{"readOnlyHint":true,"readOnlyHint":true}`, "not_supported duplicate_key", "not_supported duplicate_key", "not_supported duplicate_key"},
	} {
		got := golden.Findings(t, c, new(golden.Session).Initialize(golden.Initialized()).
			List(wire.Legacy, 1, golden.Result(`{"tools":[{"name":"create_x"`+tc.annotations+`}]}`)))
		for q, want := range map[string]string{"annotated": tc.annotated, "default": tc.byDefault, "verb": tc.verb} {
			if say := golden.Say(got["write_tool."+q+"/create_x"]); say != want {
				t.Errorf("%s %s: %q, want %q", tc.annotations, q, say, want)
			}
		}
	}
}

func TestWithoutList(t *testing.T) {
	t.Parallel()
	got := golden.Findings(t, writetool.New(), new(golden.Session).Initialize(golden.NotFound()))
	if len(got) != 0 {
		t.Errorf("findings for tools that nobody listed: %v", got)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, writetool.New())
}

// def.yml lists the verbs of the rule.
func TestVerbsAreListed(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(writetool.New().Definition.Definition, "begins with one of the verbs ")
	list, _, found := strings.Cut(list, " (its first letter")
	if !found {
		t.Fatal("def.yml lists no verbs")
	}
	if d := cmp.Diff(classifier.WriteVerbs(), strings.Split(list, ", ")); d != "" {
		t.Error(d)
	}
}
