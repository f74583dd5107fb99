package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/prober/schema"
)

const (
	draft04 = `"$schema":"http://json-schema.org/draft-04/schema#"`
	draft06 = `"$schema":"http://json-schema.org/draft-06/schema#"`
	draft07 = `"$schema":"http://json-schema.org/draft-07/schema#"`
	of2019  = `"$schema":"https://json-schema.org/draft/2019-09/schema"`
	of2020  = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ schema, want string }{
		{`{}`, "ok"},
		{`true`, "ok"},
		{`false`, "ok"},
		{`{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}`, "ok"},
		{`{"type":"object","x-anything":{"$ref":5},"default":{"$ref":"#/nowhere"},"enum":[{"$ref":"file:///etc/passwd"}]}`, "ok"},
		{`{"properties":{"$ref":{"type":"string"}}}`, "ok"},
		{`{"properties":{"s":{"type":"string","pattern":"^(?!x).+$"}},"patternProperties":{"^(?=a)":{}}}`, "ok"},
		{`{` + draft07 + `,"properties":{"s":{"pattern":"("}},"patternProperties":{"(":{}},"format":"uri"}`, "ok"},
		{`{"properties":{"n":{"type":"string","nullable":true,"format":"date-time"}}}`, "ok"},
		{`{"type":"object","type":"array"}`, "ok"},

		{`null`, "not_object_or_boolean"},
		{`[]`, "not_object_or_boolean"},
		{`"object"`, "not_object_or_boolean"},
		{`7`, "not_object_or_boolean"},
		{``, "not_object_or_boolean"},
		{`{"type":`, "not_object_or_boolean"},
		{`{} {}`, "ok"}, // one value is looked at; what follows belongs to the message

		{`{"type":"int"}`, "invalid_for_dialect"},
		{`{"properties":{"n":{"type":null}}}`, "invalid_for_dialect"},
		{`{"required":null}`, "invalid_for_dialect"},
		{`{"properties":{"n":{"type":"integer","required":true}}}`, "invalid_for_dialect"},
		{`{` + of2020 + `,"properties":{"ttl":{"minimum":0,"exclusiveMinimum":true}}}`, "invalid_for_dialect"},
		{`{"$schema":5}`, "invalid_for_dialect"},
		{`{"$id":"https://a.example/#frag"}`, "invalid_for_dialect"},
		{`{"minLength":-1}`, "invalid_for_dialect"},
		{`{"minLength":1.5}`, "invalid_for_dialect"},
		{`{"minLength":2.0}`, "ok"},

		// What one dialect allows another does not.
		{`{` + draft04 + `,"properties":{"ttl":{"minimum":0,"exclusiveMinimum":true}}}`, "ok"},
		{`{` + draft04 + `,"properties":{"ttl":{"exclusiveMinimum":0}}}`, "invalid_for_dialect"},
		{`{` + draft04 + `,"properties":{"any":true}}`, "invalid_for_dialect"},
		{`{` + draft06 + `,"properties":{"any":true}}`, "ok"},
		{`{` + draft07 + `,"items":[{"type":"integer"},{"type":"string"}]}`, "ok"},
		{`{` + of2019 + `,"items":[{"type":"integer"},{"type":"string"}]}`, "ok"},
		{`{` + of2020 + `,"items":[{"type":"integer"},{"type":"string"}]}`, "invalid_for_dialect"},
		{`{"items":[{"type":"integer"}]}`, "invalid_for_dialect"},

		{`{"$schema":"https://evil.example.org/dialect","type":7}`, "unknown_dialect"},
		{`{"$schema":"http://json-schema.org/draft-03/schema#"}`, "unknown_dialect"},
		{`{"$schema":"draft-07"}`, "unknown_dialect"},
		{`{"$defs":{"a":{"$id":"https://a.example/","$schema":"http://json-schema.org/draft-04/schema#"}}}`, "unknown_dialect"},
		{`{"properties":{"a":{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}}}`, "ok"},
	} {
		got := schema.Check(json.RawMessage(tc.schema))
		if got.Reason != tc.want {
			t.Errorf("%s: %s %q, want %s", tc.schema, got.Reason, got.Errors, tc.want)
		}
		if got.Valid != (got.Reason == schema.OK) || got.Valid != (len(got.Errors) == 0) {
			t.Errorf("%s: %+v contradicts itself", tc.schema, got)
		}
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"http://json-schema.org/draft-04/schema#":      schema.Draft04,
		"http://json-schema.org/draft-06/schema#":      schema.Draft06,
		"http://json-schema.org/draft-07/schema#":      schema.Draft07,
		"http://json-schema.org/draft-07/schema":       schema.Draft07,
		"https://json-schema.org/draft-07/schema#":     schema.Draft07,
		"https://json-schema.org/draft/2019-09/schema": schema.Draft201909,
		"https://json-schema.org/draft/2020-12/schema": schema.Draft202012,
		"http://json-schema.org/draft/2020-12/schema#": schema.Draft202012,
		"json-schema.org/draft-07/schema":              "",
		"http://json-schema.org/schema":                "",
		"HTTP://json-schema.org/draft-07/schema":       "",
		"":                                             "",
	} {
		got := schema.Check(json.RawMessage(`{"$schema":"` + uri + `"}`))
		if got.Dialect != want || !got.DialectDeclared {
			t.Errorf("%s: %+v, want %q", uri, got, want)
		}
	}
	if got := schema.Check(json.RawMessage(`{}`)); got.Dialect != schema.DefaultDialect || got.DialectDeclared {
		t.Errorf("without $schema: %+v", got)
	}
}

func TestCheckAs(t *testing.T) {
	t.Parallel()
	const tuple = `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`
	for dialect, want := range map[string]string{
		schema.Draft07: "ok", schema.Draft202012: "invalid_for_dialect", "draft-03": "unknown_dialect",
	} {
		if got := schema.CheckAs(json.RawMessage(tuple), dialect); got.Reason != want {
			t.Errorf("as %s: %+v, want %s", dialect, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		schema string
		want   []string
	}{
		{`{"properties":{"z":{"type":"int"},"a/b":{"required":true},"c":5,"d":{"minLength":-1}}}`, []string{
			`/properties/a~1b/required: got boolean, want array`,
			`/properties/c: got number, want boolean or object`,
			`/properties/d/minLength: minimum: got -1, want 0`,
		}},
		{`{"properties":{"z":{"type":"int"}}}`, []string{
			`/properties/z/type: got string, want array, or value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'`,
		}},
		{`{` + draft07 + `,"properties":{"n":{"items":{"type":7}}}}`, []string{
			`/properties/n/items/type: got number, want array, or value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'`,
		}},
		{`{"properties":{"v":{"$ref":"#/$defs/N"}}}`, []string{`/properties/v: $ref "#/$defs/N" leads nowhere`}},
		{`{"properties":{"v":{"$ref":"file:///etc/passwd"}}}`, []string{`/properties/v: $ref "file:///etc/passwd" leads out of the schema`}},
		{`{"properties":{"v":{"not":{"$ref":"#/properties/v"}}}}`, []string{`/properties/v: refers back to itself for the same value`}},
		{`null`, []string{`: a schema cannot be of type null`}},
	} {
		for range 5 { // the library reports in no fixed order
			if d := cmp.Diff(tc.want, schema.Check(json.RawMessage(tc.schema)).Errors); d != "" {
				t.Fatalf("%s: %s", tc.schema, d)
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `true`, `null`, `{"$ref":"#"}`, `{"type":"int"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#/items/0"}]}`,
		`{"$id":"a","$defs":{"b":{"$id":"b","$anchor":"c"}},"$ref":"b#c"}`, `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#","$recursiveAnchor":true}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"urn:x:y","dependencies":{"a":["b"],"c":{"$ref":"urn:x:y#/id"}}}`,
		`{"maximum":1e400,"enum":[1,1.0,{"a":[]}],"required":["a","a"]}`, "{\"\xff\":\"\\ud800\"}", `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		first := schema.Check(raw)
		if d := cmp.Diff(first, schema.Check(raw)); d != "" {
			t.Fatalf("not the same twice: %s", d)
		}
		known := false
		for _, reason := range schema.Reasons() {
			known = known || reason == first.Reason
		}
		if !known || first.Valid != (first.Reason == schema.OK) || first.Valid && first.Broken() || len(first.Errors) > 3 {
			t.Fatalf("%+v contradicts itself", first)
		}
		for _, dialect := range schema.Dialects() {
			schema.CheckAs(raw, dialect)
		}
		if found, faults := schema.CheckHeaders(raw); len(faults) > found {
			t.Fatalf("%d faults in %d annotations", len(faults), found)
		}
	})
}
