package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

func TestReferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ schema, want string }{
		{`{"properties":{"v":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"properties":{"kid":{"$ref":"#/$defs/Node"}}}}}`, "ok"},
		{`{"properties":{"kid":{"$ref":"#"}}}`, "ok"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{}}}`, "ok"},
		{`{"$ref":"#/components/schemas/A","components":{"schemas":{"A":{"type":"string"}}}}`, "ok"},
		{`{"$ref":"#/$defs/a~1b%25c~0d","$defs":{"a/b%c~d":{}}}`, "ok"},
		{`{"$ref":"#/$defs/","$defs":{"":true}}`, "ok"},
		{`{"$ref":"#/allOf/1","allOf":[true,{}]}`, "ok"},
		{`{"$ref":"#here","$defs":{"a":{"$anchor":"here"}}}`, "ok"},
		{`{` + draft07 + `,"$ref":"#here","definitions":{"a":{"$id":"#here"}}}`, "ref_dangling"}, // beside $ref nothing counts
		{`{` + draft07 + `,"allOf":[{"$ref":"#here"}],"definitions":{"a":{"$id":"#here"}}}`, "ok"},
		{`{` + draft04 + `,"allOf":[{"$ref":"#here"}],"definitions":{"a":{"id":"#here"}}}`, "ok"},
		{`{"$id":"https://a.example/root.json","$ref":"part.json","$defs":{"p":{"$id":"part.json"}}}`, "ok"},
		{`{"$id":"https://a.example/root.json","properties":{"p":{"$ref":"https://a.example/root.json"}}}`, "ok"},
		{`{"$id":"urn:example:a","properties":{"p":{"$ref":"#/$defs/p"},"q":{"$ref":"urn:example:a#/$defs/p"}},"$defs":{"p":{}}}`, "ok"},
		{`{"properties":{"p":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, "ok"},
		{`{"$dynamicRef":"#node","$defs":{"n":{"$dynamicAnchor":"node","type":"string"}}}`, "ok"},
		{`{` + of2019 + `,"properties":{"kid":{"$recursiveRef":"#"}}}`, "ok"},
		{`{` + draft07 + `,"$ref":"#/definitions/a","allOf":[{"$ref":"#/nowhere"}],"definitions":{"a":{}}}`, "ok"},

		{`{"properties":{"v":{"$ref":"#/$defs/Node"}}}`, "ref_dangling"},
		{`{"$ref":"#/properties","properties":{"a":{}}}`, "ok"},     // an object: it can be read as a schema
		{`{"$ref":"#/required","required":["a"]}`, "ref_dangling"},  // an array cannot
		{`{"$ref":"#/allOf/01","allOf":[true,{}]}`, "ref_dangling"}, // RFC 6901: no leading zeros
		{`{"$ref":"#/allOf/-1","allOf":[true]}`, "ref_dangling"},
		{`{"$ref":"#/$defs/%zz","$defs":{}}`, "ref_dangling"},
		{`{"$ref":"#nobody"}`, "ref_dangling"},
		{`{"$dynamicRef":"#nobody"}`, "ref_dangling"},
		{`{"components":{"A":{"$ref":"#/nowhere"}},"$ref":"#/components/A"}`, "ref_dangling"},
		{`{"$id":"https://a.example/","$ref":"#/$defs/x","$defs":{"x":{"$id":"b","$ref":"#/$defs/x"}}}`, "ref_dangling"},

		{`{"$ref":"#"}`, "ref_loop"},
		{`{"$ref":""}`, "ref_loop"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "ref_loop"},
		{`{"anyOf":[{"$ref":"#"}]}`, "ref_loop"},
		{`{"not":{"$ref":"#"}}`, "ref_loop"},
		{`{"if":{"$ref":"#"}}`, "ref_loop"},
		{`{"dependentSchemas":{"a":{"$ref":"#"}}}`, "ref_loop"},
		{`{"$dynamicRef":"#"}`, "ref_loop"},
		{`{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, "ref_loop"},
		{`{` + of2019 + `,"$recursiveRef":"#"}`, "ref_loop"},
		{`{` + draft07 + `,"definitions":{"a":{"$ref":"#/definitions/a"}}}`, "ref_loop"},
		{`{` + draft04 + `,"if":{"$ref":"#"}}`, "ok"}, // no keyword of draft-04

		{`{"properties":{"n":{"$ref":"http://169.254.169.254/latest/meta-data/"}}}`, "external_ref"},
		{`{"properties":{"n":{"$ref":"file:///etc/hostname"}}}`, "external_ref"},
		{`{"$id":"https://evil.example.org/s.json","properties":{"n":{"$ref":"other.json"}}}`, "external_ref"},
		{`{"$ref":"other.json#/$defs/a"}`, "external_ref"},
		{`{"$ref":"//evil.example.org"}`, "external_ref"},
		{`{"$ref":"http://[::1"}`, "external_ref"},
		{`{"allOf":[{"$ref":"a.json"},{"$ref":"#/nowhere"}]}`, "ref_dangling"}, // a fault says more
	} {
		if got := schema.Check(json.RawMessage(tc.schema)); got.Reason != tc.want {
			t.Errorf("%s: %s %q, want %s", tc.schema, got.Reason, got.Errors, tc.want)
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

// The worst that a server can send must come to an end, whatever the verdict. The bounds are counts, so the verdicts
// are the same on every machine.
func TestWorst(t *testing.T) {
	t.Parallel()
	nested := func(open, inner, close string, levels int) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(close, levels)
	}
	list := func(n int, item func(int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	number := func(i int) string {
		return string(rune('0'+i/1000%10)) + string(rune('0'+i/100%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
	}
	doubling := list(60, func(i int) string {
		next := `{"$ref":"#/$defs/` + number(i+1) + `"}`
		return `"` + number(i) + `":{"allOf":[` + next + `,` + next + `]}`
	})
	long := strings.Repeat("k", 100_000)
	for _, tc := range []struct{ name, schema, want string }{
		{"doubling", `{"$ref":"#/$defs/0000","$defs":{` + doubling + `,"0060":{}}}`, "ok"},
		{"doubling inside", nested(`{"anyOf":[{},`, `{}`, `]}`, 45), "ok"},
		{"deep", nested(`{"not":`, `{}`, `}`, 99), "ok"},
		{"too deep", nested(`{"not":`, `{}`, `}`, 100), "too_deep"},
		{"far too deep", nested(`{"a":`, `1`, `}`, 40_000), "too_deep"},
		{"wide", `{"properties":{` + list(9000, func(i int) string { return `"` + number(i) + `":{}` }) + `}}`, "ok"},
		{"too many", `{"enum":[` + list(20_000, func(i int) string { return "1" }) + `]}`, "too_large"},
		{"too long", `{"description":"` + strings.Repeat("x", schema.MaxBytes) + `"}`, "too_large"},
		{"huge enum", `{` + draft04 + `,"enum":[` + list(3000, entry) + `]}`, "ok"},
		{"enum whose values hash alike", `{` + draft04 + `,"enum":[` + list(4096, splitting) + `]}`, "too_large"},
		{"fewer of them", `{` + draft04 + `,"enum":[` + list(2048, splitting) + `]}`, "ok"},
		{"huge exponent", `{"maximum":1e999999999}`, "too_large"},
		{"huge negative exponent", `{"multipleOf":1e-999999999}`, "too_large"},
		{"exponent beyond an int", `{"maximum":1e99999999999999999999}`, "too_large"},
		{"many digits", `{"maximum":` + strings.Repeat("9", 2000) + `}`, "too_large"},
		{"large exponent", `{"maximum":1e999,"minLength":1e3}`, "ok"},
		{"chain", `{"$ref":"#/$defs/0000","$defs":{` + list(6000, func(i int) string {
			return `"` + number(i) + `":{"$ref":"#/$defs/` + number(i+1) + `"}`
		}) + `,"6000":{}}}`, "ok"},
		{"ring", `{"$ref":"#/$defs/0000","$defs":{` + list(6000, func(i int) string {
			return `"` + number(i) + `":{"$ref":"#/$defs/` + number((i+1)%6000) + `"}`
		}) + `}}`, "ref_loop"},
		{"every property wrong below a long key", `{"properties":{"` + long + `":{"properties":{` +
			list(6000, func(i int) string { return `"` + number(i) + `":{"type":7}` }) + `}}}}`, "invalid_for_dialect"},
		{"dangling below a long key", `{"properties":{"` + long + `":{"properties":{` +
			list(4000, func(i int) string { return `"` + number(i) + `":{"$ref":"#x"}` }) + `}}}}`, "ref_dangling"},
		{"long base", `{"$id":"https://a.example/` + long + `/","properties":{` +
			list(4000, func(i int) string { return `"` + number(i) + `":{"$ref":"x"}` }) + `}}`, "too_large"},
		{"long pattern", `{` + draft07 + `,"pattern":"` + nested("(", "x{1000}", "){1000}", 5000) + `"}`, "ok"},
	} {
		got := schema.Check(json.RawMessage(tc.schema))
		if got.Reason != tc.want {
			t.Errorf("%s: %s %q, want %s", tc.name, got.Reason, got.Errors, tc.want)
		}
		for _, text := range got.Errors {
			if len(text) > 2000 {
				t.Errorf("%s: an error of %d bytes", tc.name, len(text))
			}
		}
	}
}

func entry(i int) string {
	return `{"a":["` + strings.Repeat("x", i%7) + `",` + strconv.Itoa(i) + `]}`
}

// splitting is an array of strings that reads the same for every i if the bounds between its strings are not looked at.
func splitting(i int) string {
	text := `["a`
	for bit := range 12 {
		if i>>bit&1 == 1 {
			text += `","a`
		} else {
			text += `\u0004a`
		}
	}
	return text + `"]`
}

// The published cases of schemas that hurt readers.
func TestQuirks(t *testing.T) {
	t.Parallel()
	dir := quirks(t)
	for file, want := range map[string]map[string]string{
		"061-schema-ref-dangling-or-recursive.json": {
			"dangling": "ref_dangling", "tree": "ok", "selfloop": "ref_loop", "pingpong": "ref_loop", "anyof_loop": "ref_loop", "ok": "ok",
		},
		"062-schema-remote-ref.json": {
			"http": "external_ref", "file": "external_ref", "id_base": "external_ref", "dialect": "unknown_dialect",
		},
		"064-schema-declares-draft-07.json": {"a": "ok"},
		"066-schema-keywords-from-other-worlds.json": {
			"excl": "invalid_for_dialect", "int": "invalid_for_dialect", "typenull": "invalid_for_dialect", "nullable": "ok",
			"reqnull": "invalid_for_dialect", "reqbool": "invalid_for_dialect", "fmt": "ok",
		},
	} {
		got := map[string]string{}
		for name, raw := range outputSchemas(t, filepath.Join(dir, file)) {
			got[name] = schema.Check(raw).Reason
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// outputSchemas returns those of the tools that a case lists.
func outputSchemas(t *testing.T, path string) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Wire struct {
			Steps []struct{ On, Body string }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]json.RawMessage{}
	for _, step := range file.Wire.Steps {
		if step.On != "tools/list" {
			continue
		}
		var answer struct {
			Result struct {
				Tools []struct {
					Name         string
					OutputSchema json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(step.Body, "{{id}}", "1")), &answer); err != nil {
			t.Fatal(err)
		}
		for _, tool := range answer.Result.Tools {
			all[tool.Name] = tool.OutputSchema
		}
	}
	return all
}

func quirks(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MCPCENSUS_SHARED")
	for at, err := os.Getwd(); dir == "" && err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, statErr := os.Stat(filepath.Join(at, "shared", "reference", "quirks")); statErr == nil && info.IsDir() {
			dir = filepath.Join(at, "shared")
		}
	}
	if dir == "" {
		t.Skip("the folder shared/ with the published cases is not above this one; set MCPCENSUS_SHARED to it")
	}
	return filepath.Join(dir, "reference", "quirks")
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
		if !known || first.Valid != (first.Reason == schema.OK)|| first.Valid && first.Broken() || len(first.Errors) > 3 {
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
