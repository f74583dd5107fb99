package conformance_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/conformance"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/schema"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestListRules(t *testing.T) {
	t.Parallel()
	object := func(entry string) string { return `{"tools":[` + entry + `]}` }
	const input = `"inputSchema":{"type":"object"}`
	for _, tc := range []struct{ rule, result, want string }{
		{"tools_list_result", tools, "true"},
		{"tools_list_result", `{"tools":[],"nextCursor":null}`, "true"},
		{"tools_list_result", `{"tools":null}`, "false tools_null"},
		{"tools_list_result", `{}`, "false tools_absent"},
		{"tools_list_result", `{"tools":{}}`, "false tools_not_array"},
		{"tools_list_result", `{"tools":[],"nextCursor":2}`, "false cursor_not_text"},
		{"tools_list_result", `[]`, "false result_not_object"},
		{"tools_list_result", `{"jsonrpc":"2.0","id":2,"result":` + tools + `}`, "false nested_envelope"},

		{"tool_entry", tools, "true"},
		{"tool_entry", `{"tools":[]}`, "not_applicable no_occasion"},
		{"tool_entry", `{"tools":null}`, "not_available no_list"},
		{"tool_entry", object(`null`), "false entry_not_object"},
		{"tool_entry", object(`{` + input + `}`), "false name"},
		{"tool_entry", object(`{"name":7,` + input + `}`), "false name"},
		{"tool_entry", object(`{"name":"a"}`), "false input_schema_absent"},
		{"tool_entry", object(`{"name":"a","inputSchema":null}`), "false input_schema_not_object"},
		{"tool_entry", object(`{"name":"a","inputSchema":{}}`), "false input_schema_type"},
		{"tool_entry", object(`{"name":"a","inputSchema":{"type":"array"}}`), "false input_schema_type"},
		{"tool_entry", object(`{"name":"a","description":null,` + input + `}`), "false description"},

		{"output_schema_root", tools, "not_applicable no_occasion"},
		{"output_schema_root", object(`{"name":"a",` + input + `,"outputSchema":{"type":"object"}}`), "true"},
		{"output_schema_root", object(`{"name":"a",` + input + `,"outputSchema":{"type":"array"}}`), "false root_type"},
		{"output_schema_root", object(`{"name":"a",` + input + `,"outputSchema":{}}`), "false root_type"},
		{"output_schema_root", object(`{"name":"a",` + input + `,"outputSchema":null}`), "false not_object"},

		{"input_schema_valid", tools, "true"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"int"}}}}`), "false invalid_for_dialect"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}`), "false ref_dangling"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"type":"object","allOf":[{"$ref":"#"}]}}`), "false ref_loop"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"type":"object","properties":{"n":{"$ref":"https://a.example/"}}}}`), "not_supported not_judged"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"$schema":"https://a.example/","type":"object"}}`), "not_supported not_judged"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":{"$schema":"https://a.example/","type":"object"}},{"name":"b",` + input + `}`), "true"},
		{"input_schema_valid", object(`{"name":"a","inputSchema":null}`), "not_applicable no_occasion"},
		{"output_schema_valid", tools, "not_applicable no_occasion"},
		{"output_schema_valid", object(`{"name":"a",` + input + `,"outputSchema":{"type":"object","required":null}}`), "false invalid_for_dialect"},
		{"output_schema_valid", object(`{"name":"a",` + input + `,"outputSchema":{"type":"object","items":[{}]}}`), "false invalid_for_dialect"},
		{"output_schema_valid", object(`{"name":"a",` + input + `,"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","items":[{}]}}`), "true"},
	} {
		if got := say(t, legacy(golden.Result(tc.result), noSuchTool()))[tc.rule]; got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.rule, tc.result, got, tc.want)
		}
	}
}

// What a revision does not say yet is not asked of its sessions.
func TestRevisions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ revision, output, root, schema string }{
		{"2024-11-05", `{"type":"array","items":[{}]}`, "not_applicable no_occasion", "not_applicable no_occasion"},
		{"2025-06-18", `{"type":"array","items":[{}]}`, "false root_type", "true"}, // a tuple of draft-07, and no dialect stated
		{"2025-06-18", `{"type":"int"}`, "false root_type", "false invalid_for_dialect"},
		{"2025-11-25", `{"type":"array","items":[{}]}`, "false root_type", "false invalid_for_dialect"},
		{"2099-01-01", `{"type":"array"}`, "not_applicable no_occasion", "true"},
	} {
		initialized := golden.Result(`{"protocolVersion":"` + tc.revision + `","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
		got := say(t, new(golden.Session).Initialize(initialized).List(wire.Legacy, 1, golden.Result(
			`{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":`+tc.output+`}]}`)).Transcript())
		if got["output_schema_root"] != tc.root || got["output_schema_valid"] != tc.schema {
			t.Errorf("%s %s: %q and %q, want %q and %q", tc.revision, tc.output, got["output_schema_root"], got["output_schema_valid"], tc.root, tc.schema)
		}
	}
	got := say(t, modern(modernTools(`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`), noSuchTool()))
	if got["output_schema_root"] != "true" {
		t.Errorf("modern: an outputSchema of any type is %q", got["output_schema_root"])
	}
}

// The labels of def.yml are the words of package schema: each that says that a schema is at fault, and each fault of a
// header annotation.
func TestLabelsOfSchemas(t *testing.T) {
	t.Parallel()
	broken := slices.DeleteFunc(schema.Reasons(), func(reason string) bool { return !schema.Verdict{Reason: reason}.Broken() })
	want := map[string][]string{
		"conformance.input_schema_valid": broken, "conformance.output_schema_valid": broken, "conformance.mcp_header": schema.HeaderFaults(),
	}
	for _, q := range conformance.New().Questions {
		if words, about := want[q.ID]; about {
			if d := cmp.Diff(words, q.Labels); d != "" {
				t.Errorf("%s: %s", q.ID, d)
			}
			delete(want, q.ID)
		}
	}
	if len(want) > 0 {
		t.Errorf("no questions for %v", want)
	}
}
