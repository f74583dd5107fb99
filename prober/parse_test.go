package prober

import (
	"encoding/json"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestReadHeaderPaths(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"x-mcp-header":"Root","properties":{
		"a":{"x-mcp-header":"A"},"twice":{"x-mcp-header":"a"},"bad":{"x-mcp-header":"not a token"},"empty":{"x-mcp-header":""},
		"deep":{"properties":{"b":{"x-mcp-header":"B"}}},"any":{"anyOf":[{"properties":{"c":{"x-mcp-header":"C"}}}]},"s":{"x-mcp-header":"S"}}}`)
	fields := readHeaderPaths(schema).fields(json.RawMessage(`{"a":"x","deep":{"b":true},"any":{"c":1},"s":{"no":"scalar"}}`))
	if len(fields) != 2 || fields[0] != (wire.Field{Name: "Mcp-Param-A", Value: "x"}) || fields[1] != (wire.Field{Name: "Mcp-Param-B", Value: "true"}) {
		t.Errorf("got %v", fields)
	}
}

func FuzzListPage(f *testing.F) {
	for _, seed := range []string{
		`{"tools":[{"name":"a","inputSchema":{"properties":{"x":{"x-mcp-header":"X"}}}}],"nextCursor":""}`,
		`{"tools":[null,7,{"name":5}],"nextCursor":2}`, `{"tools":null}`, `[]`, `{`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		list := newToolList([]Call{{Tool: "a"}})
		_, first := list.add(json.RawMessage(raw))
		if _, again := list.add(json.RawMessage(raw)); again {
			t.Errorf("the same page leads on twice (at first: %v): %s", first, raw)
		}
		list.arguments["a"].fields(json.RawMessage(raw))
	})
}

func FuzzQuestion(f *testing.F) {
	f.Add("tool", `{"a":1}`)
	f.Add("\x00\"<é\xff", ` {} `)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		if _, flaws, err := wire.ReadObject(json.RawMessage(arguments)); err != nil || len(flaws) > 0 {
			return
		}
		v := &visit{prober: &Prober{Name: "n", Version: "1"}}
		s := &session{era: wire.Modern, version: wire.OfferModern}
		call := v.callTool(s, tool, json.RawMessage(arguments)).call(1)
		m, err := wire.ReadMessage(call.Body)
		if err != nil || m.Type != wire.TypeNotification || !json.Valid(call.Body) { // without an id
			t.Errorf("%s: %v", call.Body, err)
		}
	})
}
