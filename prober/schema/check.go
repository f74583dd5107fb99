package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The reasons of a verdict. The list is closed.
const (
	OK                 = "ok"
	NotObjectOrBoolean = "not_object_or_boolean" // a schema is an object, or true or false
	UnknownDialect     = "unknown_dialect"       // $schema names a dialect that cannot be checked, which is legal
	InvalidForDialect  = "invalid_for_dialect"   // the metaschema of the dialect does not accept it
	TooDeep            = "too_deep"              // more levels than wire.MaxDepth
	TooLarge           = "too_large"             // more than MaxBytes or MaxNodes, or too much work
	ExternalRef        = "external_ref"          // a reference leads out of the schema, where nobody looks
	RefDangling        = "ref_dangling"          // a reference into the schema leads to nothing that is a schema
	RefLoop            = "ref_loop"              // a part that applies to a value refers back to itself for the same value
)

// The bounds of a schema that is checked.
const (
	MaxBytes  = 256 << 10 // bytes of JSON text
	MaxNodes  = 20_000    // JSON values in it
	maxWork   = 16 << 20  // bytes of URIs and pointers read while following references
	maxErrors = 3         // errors told
	maxNumber = 1000      // digits, or decimal exponent, of a number
)

// Verdict is what is said of one schema.
type Verdict struct {
	Dialect         string // one of Dialects; empty when it is unknown or was not looked at
	DialectDeclared bool   // it was declared by $schema, not assumed
	Valid           bool   // the same as Reason being OK
	Reason          string // one of Reasons
	// Errors are up to three places and what is wrong with them, such as "/properties/n/type: value must be …", in
	// the order of the places. They may hold text from the schema, cut but not escaped.
	Errors []string
}

// Reasons returns the closed list of reasons. Published lists are compared with it by tests.
func Reasons() []string {
	return []string{
		OK, NotObjectOrBoolean, UnknownDialect, InvalidForDialect, TooDeep, TooLarge, ExternalRef, RefDangling, RefLoop,
	}
}

// Broken says whether the schema itself is at fault. The other verdicts that are not valid mean that it was not judged.
func (v Verdict) Broken() bool {
	switch v.Reason {
	case NotObjectOrBoolean, InvalidForDialect, RefDangling, RefLoop:
		return true
	}
	return false
}

// Check says whether raw, one JSON value, is a schema that follows its dialect: the one that its $schema declares,
// otherwise DefaultDialect.
//
// format, pattern and the vocabularies of a custom metaschema are not judged, and a $schema inside the schema only
// where it begins a resource of its own. Of a key that stands twice the last value counts, as in most readers.
func Check(raw json.RawMessage) Verdict {
	root, v := parse(raw)
	if root == nil {
		return v
	}
	d, _ := dialectNamed(DefaultDialect)
	if uri, ok := root.text("$schema"); ok { // anything but a string is for the metaschema to refuse
		v.DialectDeclared = true
		if d, ok = dialectOf(uri); !ok {
			v.Reason, v.Errors = UnknownDialect, []string{fmt.Sprintf("/$schema: %q is no dialect that is known here", cut(uri))}
			return v
		}
	}
	return judge(root, d, v)
}

// CheckAs is Check in the dialect of that name, one of Dialects, whatever the schema declares. It is for revisions that
// do not say which dialect holds.
func CheckAs(raw json.RawMessage, name string) Verdict {
	root, v := parse(raw)
	d, ok := dialectNamed(name)
	switch {
	case root == nil:
		return v
	case !ok:
		v.Reason = UnknownDialect
		return v
	}
	return judge(root, d, v)
}

// parse reads the schema within the bounds. Without a root the verdict is final.
func parse(raw json.RawMessage) (*node, Verdict) {
	if len(raw) > MaxBytes {
		return nil, Verdict{Reason: TooLarge, Errors: []string{fmt.Sprintf(": %d bytes, more than %d", len(raw), MaxBytes)}}
	}
	switch err := wire.CheckDepth(raw); {
	case errors.Is(err, wire.ErrTooDeep):
		return nil, Verdict{Reason: TooDeep, Errors: []string{": " + err.Error()}}
	case err != nil:
		return nil, Verdict{Reason: NotObjectOrBoolean, Errors: []string{": " + cut(err.Error())}}
	}
	if kind := wire.KindOf(raw); kind != wire.KindObject && kind != wire.KindBool {
		return nil, Verdict{Reason: NotObjectOrBoolean, Errors: []string{fmt.Sprintf(": a schema cannot be of type %s", kind)}}
	}
	root, err := newTree(raw)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, Verdict{Reason: TooLarge, Errors: []string{": " + err.Error()}}
	case err != nil:
		return nil, Verdict{Reason: NotObjectOrBoolean, Errors: []string{": " + cut(err.Error())}}
	}
	return root, Verdict{}
}

func judge(root *node, d dialect, v Verdict) Verdict {
	v.Dialect = d.name
	if err := metaschemas()[d.name].Validate(root.value); err != nil {
		v.Reason, v.Errors = InvalidForDialect, describe(err)
		return v
	}
	v.Reason, v.Errors = follow(root, d)
	v.Valid = v.Reason == OK
	return v
}

// cut shortens text for an error.
func cut(text string) string {
	const most = 160
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
