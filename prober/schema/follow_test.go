package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/schema"
)

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
