package wire

import (
	"bytes"
	"encoding/json"
)

// IDMatch is how the id of an answer compares with the id that was sent.
type IDMatch string

// The matches. The zero value means that there was no answer to compare.
const (
	IDExact     IDMatch = "exact"     // same type, same value
	IDLoose     IDMatch = "loose"     // same value as another type or in another spelling: "1", 1.0, 1e0 for 1
	IDNull      IDMatch = "null"      // null
	IDMissing   IDMatch = "missing"   // no id
	IDDifferent IDMatch = "different" // an id of somebody else
)

// MatchID compares raw ids; a nil got means that the answer has none.
func MatchID(sent, got json.RawMessage) IDMatch {
	switch KindOf(got) {
	case KindInvalid:
		return IDMissing
	case KindNull:
		return IDNull
	}
	sent, got = bytes.TrimSpace(sent), bytes.TrimSpace(got)
	if bytes.Equal(sent, got) {
		return IDExact
	}
	sentText, sentIsText := ReadString(sent)
	gotText, gotIsText := ReadString(got)
	if sentIsText && gotIsText {
		if sentText == gotText {
			return IDExact
		}
		return IDDifferent
	}
	if sentIsText {
		sent = []byte(sentText)
	}
	if gotIsText {
		got = []byte(gotText)
	}
	a, aOK := parseDecimal(sent)
	b, bOK := parseDecimal(got)
	if aOK && bOK && a == b {
		return IDLoose
	}
	return IDDifferent
}
