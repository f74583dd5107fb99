package classifier

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Tool is one entry of the list of record.
type Tool struct {
	Position int             // from 1, in the order listed
	Seq      int             // exchange whose page holds it
	Name     string          // RawName with invalid UTF-8 and NUL replaced by U+FFFD
	RawName  []byte          // the name as sent, escapes undone
	Raw      json.RawMessage // the entry as sent
	Object   wire.Object
	// WellFormed: the entry has the shape that the schema of every revision asks for (see wellFormed).
	WellFormed bool
}

// maxLabel is the most characters that a free label keeps.
const maxLabel = 64

// FreeLabel makes a label of text from the wire: valid UTF-8 without NUL, and cut.
func FreeLabel(text string) string {
	runes := []rune(projected(text))
	return string(runes[:min(len(runes), maxLabel)])
}

// projected makes a name fit for a text column.
func projected(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD")
}

// wellFormed checks the shape of a tool by the schema of every revision: inputSchema is an object of type object, whose
// properties, if any, are objects and whose required, if any, is an array of strings; description, title and
// annotations have their types if present.
func wellFormed(o wire.Object) bool {
	raw, _ := o.Get("inputSchema")
	schema, _, err := wire.ReadObject(raw)
	if err != nil {
		return false
	}
	kind, _ := schema.Get("type")
	if text, _ := wire.ReadString(kind); text != "object" {
		return false
	}
	if raw, present := schema.Get("properties"); present && !allOf(raw, wire.KindObject) {
		return false
	}
	if raw, present := schema.Get("required"); present && !allOf(raw, wire.KindString) {
		return false
	}
	for key, want := range map[string]wire.Kind{
		"description": wire.KindString, "title": wire.KindString, "annotations": wire.KindObject,
	} {
		if raw, present := o.Get(key); present && wire.KindOf(raw) != want {
			return false
		}
	}
	return true
}

// allOf says whether raw is an object of objects, or an array of strings.
func allOf(raw json.RawMessage, member wire.Kind) bool {
	if member == wire.KindObject {
		o, _, err := wire.ReadObject(raw)
		return err == nil && !slices.ContainsFunc(o.Keys(), func(key string) bool {
			value, _ := o.Get(key)
			return wire.KindOf(value) != wire.KindObject
		})
	}
	list, err := wire.ReadArray(bytes.TrimSpace(raw))
	return err == nil && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return wire.KindOf(v) != member })
}
