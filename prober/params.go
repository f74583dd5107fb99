package prober

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/mcpcensus/mcpcensus/prober/streamable"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// maxSchemaDepth bounds the search for x-mcp-header.
const maxSchemaDepth = 20

// headerPath says that an argument travels in a header, too (2026-07-28, x-mcp-header).
type headerPath struct {
	name string   // behind Mcp-Param-
	path []string // member names, from the arguments down
}

type headerPaths []headerPath

// readHeaderPaths finds the properties of an input schema that carry x-mcp-header: only those that are reached through
// properties alone count. Invalid names are left out.
func readHeaderPaths(schema json.RawMessage) headerPaths {
	var found headerPaths
	names := map[string]bool{}
	var walk func(schema json.RawMessage, path []string)
	walk = func(schema json.RawMessage, path []string) {
		o, _, err := wire.ReadObject(schema)
		if err != nil || len(path) > maxSchemaDepth {
			return
		}
		raw, _ := o.Get("x-mcp-header")
		name, _ := wire.ReadString(raw)
		if key := strings.ToLower(name); len(path) > 0 && httpguts.ValidHeaderFieldName(name) && !names[key] {
			names[key] = true
			found = append(found, headerPath{name: name, path: append([]string(nil), path...)})
		}
		raw, _ = o.Get("properties")
		properties, _, err := wire.ReadObject(raw)
		if err != nil {
			return
		}
		for _, key := range properties.Keys() {
			property, _ := properties.Get(key)
			walk(property, append(path, key))
		}
	}
	walk(schema, nil)
	return found
}

// fields returns the headers for arguments: one for each such property that is there and is a string, a number or a
// boolean.
func (h headerPaths) fields(arguments json.RawMessage) wire.Header {
	var fields wire.Header
	for _, p := range h {
		value := arguments
		for _, key := range p.path {
			o, _, err := wire.ReadObject(value)
			if value = nil; err == nil {
				value, _ = o.Get(key)
			}
		}
		if text, ok := headerText(value); ok {
			fields = append(fields, wire.Field{Name: "Mcp-Param-" + p.name, Value: streamable.HeaderValue(text)})
		}
	}
	return fields
}

func headerText(value json.RawMessage) (string, bool) {
	switch wire.KindOf(value) {
	case wire.KindString:
		return wire.ReadString(value)
	case wire.KindNumber, wire.KindBool:
		return strings.TrimSpace(string(value)), true
	}
	return "", false
}
