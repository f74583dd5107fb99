package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how many levels of arrays and objects a value may have before code that walks it level by level must
// refuse it (see [CheckDepth]). The readers of this package do not walk: they skip a member in one pass and hand out
// its bytes, so a schema of a million levels inside a list of tools costs that one tool and not the list.
const MaxDepth = 100

// Kind is the JSON type of a value.
type Kind string

// The kinds.
const (
	KindNull    Kind = "null"
	KindBool    Kind = "boolean"
	KindNumber  Kind = "number"
	KindString  Kind = "string"
	KindArray   Kind = "array"
	KindObject  Kind = "object"
	KindInvalid Kind = "invalid" // no value: a member that is absent, or bytes that cannot be JSON
)

// KindOf returns the JSON type of raw, told by its first byte: raw must come from a reader of this package, which has
// checked the rest. An absent (nil) value is KindInvalid.
func KindOf(raw json.RawMessage) Kind {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return KindInvalid
	}
	switch c := raw[0]; {
	case c == '{':
		return KindObject
	case c == '[':
		return KindArray
	case c == '"':
		return KindString
	case c == 't' || c == 'f':
		return KindBool
	case c == 'n':
		return KindNull
	case c == '-' || '0' <= c && c <= '9':
		return KindNumber
	}
	return KindInvalid
}

// Object is a JSON object as it was sent: members in order, keys exact, duplicates kept.
type Object struct {
	keys   []string
	values []json.RawMessage
	first  map[string]int // position of the first member of each key
}

// Get returns the value of the member with exactly that key. Of several, it is the first one.
func (o Object) Get(key string) (json.RawMessage, bool) {
	i, ok := o.first[key]
	if !ok {
		return nil, false
	}
	return o.values[i], true
}

// Keys returns every key in the order sent, duplicates included.
func (o Object) Keys() []string { return slices.Clone(o.keys) }

// Len is the number of members, duplicates included.
func (o Object) Len() int { return len(o.keys) }

// Duplicated says whether the key occurs more than once.
func (o Object) Duplicated(key string) bool {
	i, ok := o.first[key]
	return ok && slices.Contains(o.keys[i+1:], key)
}

// ReadObject reads one JSON object. The values are slices of raw, not copies. The flaws tell of duplicate keys at the
// top level, of invalid UTF-8 and too much depth anywhere, and of bytes before or behind the object; they are valid
// also beside an error, which wraps ErrInvalidJSON or ErrNotObject.
func ReadObject(raw []byte) (Object, []Flaw, error) {
	s, flaws := begin(raw)
	o := Object{first: map[string]int{}}
	var err error
	if s.peek() == '{' {
		s.pos++
		err = s.members(&o)
	} else {
		err = s.notA(ErrNotObject)
	}
	if err != nil {
		return Object{}, sorted(append(flaws, flawOf(err)...)), err
	}
	if len(o.first) < len(o.keys) {
		flaws = append(flaws, DuplicateKey)
	}
	return o, s.end(flaws, 1), nil
}

func (s *scanner) members(o *Object) error {
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		key, err := s.key()
		if err != nil {
			return err
		}
		value, err := s.skip()
		if err != nil {
			return err
		}
		name := unquote(key)
		if _, again := o.first[name]; !again {
			o.first[name] = len(o.keys)
		}
		o.keys = append(o.keys, name)
		o.values = append(o.values, value)
		if s.peek() != ',' {
			return s.expect('}')
		}
		s.pos++
	}
}

// ReadArray reads one JSON array with nothing behind it. The elements are slices of raw, not copies.
func ReadArray(raw []byte) ([]json.RawMessage, error) {
	s, _ := begin(raw)
	if s.peek() != '[' {
		return nil, s.notA(ErrNotArray)
	}
	s.pos++
	list := []json.RawMessage{}
	if s.peek() == ']' {
		s.pos++
	} else {
		for {
			value, err := s.skip()
			if err != nil {
				return nil, err
			}
			list = append(list, value)
			if s.peek() != ',' {
				break
			}
			s.pos++
		}
		if err := s.expect(']'); err != nil {
			return nil, err
		}
	}
	if s.peek(); s.pos < len(s.data) {
		return nil, s.fail()
	}
	return list, nil
}

// ReadString returns the text of a JSON string, and false when raw is anything else. Bytes that are not UTF-8 are kept
// as sent; an escaped half of a surrogate pair becomes U+FFFD.
func ReadString(raw json.RawMessage) (string, bool) {
	s := scanner{data: raw}
	if s.peek() != '"' {
		return "", false
	}
	quoted, err := s.text()
	if err != nil {
		return "", false
	}
	if s.peek(); s.pos < len(s.data) {
		return "", false
	}
	return unquote(quoted), true
}

// ReadBool returns the value of a JSON boolean, and false for ok when raw is anything else.
func ReadBool(raw json.RawMessage) (value, ok bool) {
	switch string(bytes.TrimSpace(raw)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// CheckDepth returns ErrTooDeep when raw has more than MaxDepth levels, and an error that wraps ErrInvalidJSON when it
// is no JSON value. Call it before handing a value to code that recurses.
func CheckDepth(raw []byte) error {
	s := scanner{data: raw}
	if _, err := s.skip(); err != nil {
		return err
	}
	if s.deepest > MaxDepth {
		return ErrTooDeep
	}
	return nil
}

// CaseVariants returns the keys of o, in order and each once, that are not one of the known names but equal one when
// case is ignored, by the rule of encoding/json: simple Unicode folding, so that U+017F counts as s and the Kelvin
// sign as k.
func CaseVariants(o Object, known ...string) []string {
	var variants []string
	for i, key := range o.keys {
		if o.first[key] != i || slices.Contains(known, key) {
			continue
		}
		if slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, key) }) {
			variants = append(variants, key)
		}
	}
	return variants
}

var bom = []byte("\xef\xbb\xbf")

// begin returns a scanner behind a byte order mark, and the flaws of the bytes as such.
func begin(raw []byte) (*scanner, []Flaw) {
	var flaws []Flaw
	if !utf8.Valid(raw) {
		flaws = append(flaws, InvalidUTF8)
	}
	s := &scanner{data: raw}
	if bytes.HasPrefix(raw, bom) {
		flaws = append(flaws, JSONBOM)
		s.pos = len(bom)
	}
	return s, flaws
}

// end adds the flaws that are known when the value was read; outer is the number of levels around what was skipped.
func (s *scanner) end(flaws []Flaw, outer int) []Flaw {
	if s.deepest+outer > MaxDepth {
		flaws = append(flaws, TooDeep)
	}
	if s.peek(); s.pos < len(s.data) {
		flaws = append(flaws, TrailingBytes)
	}
	return sorted(flaws)
}

// notA tells a value of another type from bytes that are no JSON at all.
func (s *scanner) notA(want error) error {
	if _, err := s.skip(); err != nil {
		return err
	}
	return want
}

func flawOf(err error) []Flaw {
	switch {
	case errors.Is(err, ErrNonFinite):
		return []Flaw{NonFiniteNumber}
	case errors.Is(err, ErrIncomplete):
		return []Flaw{IncompleteJSON}
	}
	return nil
}
