package classifier

import (
	"encoding/json"
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// page is a result of tools/list.
type page struct {
	seq     int
	entries []json.RawMessage
	cursor  json.RawMessage // nextCursor as sent; nil when absent
}

// bestPage returns the last try that holds a list, or what the last try was instead.
func bestPage(t *wire.Transcript, tries []*wire.Exchange) (page, *List) {
	var failed *List
	for _, e := range slices.Backward(tries) {
		p, l := readPage(t, e)
		if l == nil {
			return p, nil
		}
		if failed == nil {
			failed = l
		}
	}
	return page{}, failed
}

// readPage returns the page, or a list without pages that says what was answered instead.
func readPage(t *wire.Transcript, e *wire.Exchange) (page, *List) {
	l := &List{Answer: False, Evidence: []int{e.Seq}}
	r := ReadReply(t, e)
	switch {
	case r.Missing != "":
		l.Answer, l.Reason = NotAvailable, r.Missing
		return page{}, l
	case r.Message == nil:
		l.Label = r.Label
		return page{}, l
	case r.Message.Type == wire.TypeError:
		l.Label = LabelJSONRPCError
		return page{}, l
	case slices.Contains(r.Message.Flaws, wire.NestedEnvelope):
		l.Label = LabelNestedEnvelope
		return page{}, l
	}
	result, _, err := wire.ReadObject(r.Message.Result)
	if err != nil {
		l.Label = LabelResultNotObject
		return page{}, l
	}
	if result.Duplicated("tools") {
		l.Answer, l.Reason = NotSupported, DuplicateKey
		return page{}, l
	}
	tools, present := result.Get("tools")
	entries, err := wire.ReadArray(tools)
	switch {
	case !present:
		l.Label = LabelToolsAbsent
		return page{}, l
	case wire.KindOf(tools) == wire.KindNull:
		l.Label = LabelToolsNull
		return page{}, l
	case err != nil:
		l.Label = LabelToolsNotArray
		return page{}, l
	}
	cursor, _ := result.Get("nextCursor")
	return page{seq: e.Seq, entries: entries, cursor: cursor}, nil
}
