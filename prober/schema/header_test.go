package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/schema"
)

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	const header = `"x-mcp-header":"Region"`
	for _, tc := range []struct {
		schema string
		found  int
		want   string
	}{
		{`{"properties":{"r":{"type":"string",` + header + `}}}`, 1, ""},
		{`{"properties":{"r":{"type":"integer",` + header + `},"s":{"type":"boolean","x-mcp-header":"S"}}}`, 2, ""},
		{`{"properties":{"o":{"type":"object","properties":{"r":{"type":"string",` + header + `}}}}}`, 1, ""},
		{`{"properties":{"r":{"type":["string","null"],` + header + `}}}`, 1, ""},
		{`{"properties":{"x-mcp-header":{"type":"string"}}}`, 0, ""}, // a parameter of that name
		{`{"properties":{"r":{"type":"string","default":{` + header + `},"enum":[{` + header + `}]}}}`, 0, ""},
		{`{}`, 0, ""},
		{`true`, 0, ""},
		{`null`, 0, ""},
		{`{"properties":{"r":{"type":"string","x-mcp-header":""}}}`, 1, "header_not_token /properties/r"},
		{`{"properties":{"r":{"type":"string","x-mcp-header":"a b"}}}`, 1, "header_not_token /properties/r"},
		{`{"properties":{"r":{"type":"string","x-mcp-header":"a\r\n"}}}`, 1, "header_not_token /properties/r"},
		{`{"properties":{"r":{"type":"string","x-mcp-header":"é"}}}`, 1, "header_not_token /properties/r"},
		{`{"properties":{"r":{"type":"string","x-mcp-header":true}}}`, 1, "header_not_text /properties/r"},
		{`{"properties":{"a":{"type":"string",` + header + `},"b":{"type":"string","x-mcp-header":"REGION"}}}`, 2, "header_repeated /properties/b"},
		{`{"properties":{"r":{"type":"number",` + header + `}}}`, 1, "header_type /properties/r"},
		{`{"properties":{"r":{"type":["number","string"],` + header + `}}}`, 1, "header_type /properties/r"},
		{`{"properties":{"r":{` + header + `}}}`, 1, "header_type /properties/r"},
		{`{` + header + `}`, 1, "header_unreachable "},
		{`{"properties":{"l":{"items":{"type":"string",` + header + `}}}}`, 1, "header_unreachable /properties/l/items"},
		{`{"anyOf":[{"properties":{"r":{"type":"string",` + header + `}}}]}`, 1, "header_unreachable /anyOf/0/properties/r"},
		{`{"$defs":{"r":{"type":"string",` + header + `}}}`, 1, "header_unreachable /$defs/r"},
	} {
		found, faults := schema.CheckHeaders(json.RawMessage(tc.schema))
		var texts []string
		for _, f := range faults {
			texts = append(texts, f.Fault+" "+f.Place)
		}
		if got := strings.Join(texts, "; "); got != tc.want || found != tc.found {
			t.Errorf("%s: %d, %q; want %d, %q", tc.schema, found, got, tc.found, tc.want)
		}
	}
}
