package outputschema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/outputschema"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func session(revision string, tools ...string) *golden.Session {
	return new(golden.Session).Discover(golden.NotFound()).
		Initialize(golden.Result(`{"protocolVersion":"`+revision+`","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)).
		List(wire.Legacy, 1, golden.Result(`{"tools":[`+strings.Join(tools, ",")+`]}`))
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	c := outputschema.New()
	for schema, want := range map[string]string{
		``:                                  "false absent",
		`,"outputSchema":null`:              "false null_value",
		`,"OutputSchema":{"type":"object"}`: "false absent",
		`,"outputschema":{"type":"object"}`: "false absent",
		`,"outputSchema":{"type":"object","properties":{"a":{}}}`:                       "true object_root",
		`,"outputSchema":{"type":"object","additionalProperties":{"type":"string"}}`:    "true object_root",
		`,"outputSchema":{"type":"object","required":["a"]}`:                            "true object_root",
		`,"outputSchema":{"type":"object","patternProperties":{}}`:                      "true object_root",
		`,"outputSchema":{"type":"object"}`:                                             "true trivial",
		`,"outputSchema":{"type":"object","properties":{},"additionalProperties":true}`: "true trivial",
		`,"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}`:         "true trivial",
		`,"outputSchema":{}`:                                                                "true trivial",
		`,"outputSchema":{"type":"array","items":{}}`:                                       "true other_root",
		`,"outputSchema":{"type":"array"}`:                                                  "true other_root",
		`,"outputSchema":{"type":["object","null"],"properties":{"a":{}}}`:                  "true other_root",
		`,"outputSchema":{"type":["object","null"]}`:                                        "true other_root",
		`,"outputSchema":{"anyOf":[{"type":"object"}]}`:                                     "true other_root",
		`,"outputSchema":{"$ref":"#"}`:                                                      "true other_root",
		`,"outputSchema":{"properties":{"a":{}}}`:                                           "true other_root",
		`,"outputSchema":true`:                                                              "true not_object",
		`,"outputSchema":[]`:                                                                "true not_object",
		`,"outputSchema":"{\"type\":\"object\"}"`:                                           "true not_object",
		`,"outputSchema":{"type":"object"},"outputSchema":null`:                             "not_supported duplicate_key",
		`,"outputSchema":{"type":"object","properties":{"error":{}},"title":"\u0000 null"}`: "true object_root",
	} {
		got := golden.Findings(t, c, session("2025-11-25", `{"name":"a","inputSchema":{"type":"object"}`+schema+`}`))
		if say := golden.Say(got["output_schema.declared/a"]); say != want {
			t.Errorf("%s: %q, want %q", schema, say, want)
		}
	}
}

func TestRestrictions(t *testing.T) {
	t.Parallel()
	c := outputschema.New()
	const out = "not_applicable not_a_write_tool"
	const yes = "true trivial"
	for _, tc := range []struct {
		tool string
		want [4]string // declared, annotated, verb, default
	}{
		{`"name":"get_x"`, [4]string{yes, out, out, yes}},
		{`"name":"create_x"`, [4]string{yes, out, yes, yes}},
		{`"name":"create_x","annotations":{}`, [4]string{yes, out, yes, yes}},
		{`"name":"create_x","annotations":{"readOnlyHint":true}`, [4]string{yes, out, out, out}},
		{`"name":"create_x","annotations":{"readOnlyHint":false}`, [4]string{yes, yes, out, yes}},
		{`"name":"create_x","annotations":{"readOnlyHint":"true"}`, [4]string{yes, out, yes, yes}},
		{`"name":"create_x","annotations":{"readonlyhint":true}`, [4]string{yes, out, yes, yes}},
		{`"name":"create_x","annotations":null`, [4]string{yes, out, yes, yes}},
		{`"name":"get_x","annotations":{"readOnlyHint":false}`, [4]string{yes, yes, out, yes}},
		{`"name":"get_x","annotations":{"readOnlyHint":true,"readOnlyHint":false}`,
			[4]string{yes, "not_supported duplicate_key", "not_supported duplicate_key", "not_supported duplicate_key"}},
	} {
		got := golden.Findings(t, c, session("2025-06-18", `{`+tc.tool+`,"inputSchema":{"type":"object"},"outputSchema":{}}`))
		var say [4]string
		for key, f := range got {
			for i, q := range []string{"declared/", "declared_write_annotated/", "declared_write_verb/", "declared_write_default/"} {
				if strings.HasPrefix(key, "output_schema."+q) {
					say[i] = golden.Say(f)
				}
			}
		}
		if d := cmp.Diff(tc.want, say); d != "" {
			t.Errorf("%s: %s", tc.tool, d)
		}
	}
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	c := outputschema.New()
	const without = "not_applicable revision_without_output_schema"
	for revision, want := range map[string]string{
		"2024-10-07": without, "2024-11-05": without, "2025-03-26": without, "2025-01-01": without,
		"2025-06-18": "true trivial", "2025-11-25": "true trivial", "2025-12-01": "true trivial", "2099-01-01": "true trivial",
		"latest": "not_supported revision_unknown",
	} {
		got := golden.Findings(t, c, session(revision, `{"name":"create_x","outputSchema":{}}`))
		for _, q := range []string{"declared", "declared_write_verb", "declared_write_default"} {
			if say := golden.Say(got["output_schema."+q+"/create_x"]); say != want {
				t.Errorf("%s %s: %q, want %q", revision, q, say, want)
			}
		}
	}
	got := golden.Findings(t, c, new(golden.Session).Discover(golden.Discovered()).
		List(wire.Modern, 1, golden.Result(`{"tools":[{"name":"a","outputSchema":{"type":"array","items":{}}}]}`)))
	if say := golden.Say(got["output_schema.declared/a"]); say != "true other_root" {
		t.Errorf("modern: %q", say)
	}
}

func TestAny(t *testing.T) {
	t.Parallel()
	c := outputschema.New()
	const with, bare = `{"name":"a","outputSchema":{"type":"object"}}`, `{"name":"b"}`
	more := func(tool string) *golden.Session {
		return new(golden.Session).Initialize(golden.Initialized()).
			List(wire.Legacy, 1, golden.Result(`{"tools":[`+tool+`],"nextCursor":"x"}`))
	}
	for _, tc := range []struct {
		name string
		s    *golden.Session
		want string
	}{
		{"all", session("2025-11-25", with), "true all_tools"},
		{"some", session("2025-11-25", with, bare), "true some_tools"},
		{"none", session("2025-11-25", bare, `null`), "false no_tool"},
		{"no tools", session("2025-11-25"), "not_applicable no_tools"},
		{"old revision", session("2024-11-05", with), "not_applicable revision_without_output_schema"},
		{"incomplete without one", more(bare), "not_available list_incomplete"},
		{"incomplete with one", more(with), "true some_tools"},
		{"no list", new(golden.Session).Initialize(golden.Initialized()).List(wire.Legacy, 1, golden.Result(`{"tools":null}`)), "not_available no_list"},
		{"gated", new(golden.Session).Initialize(golden.Response{Status: 401}), "not_available auth_required"},
	} {
		got := golden.Findings(t, c, tc.s)
		if say := golden.Say(got["output_schema.any"]); say != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, say, tc.want)
		}
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, outputschema.New())
}
