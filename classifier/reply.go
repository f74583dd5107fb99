package classifier

import (
	"slices"
	"strconv"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Reply is what one exchange amounts to. Exactly one of three holds: Message is the JSON-RPC answer of a server that
// let us in; Missing says why there is none that could be judged; Label says what came instead of one.
type Reply struct {
	Seq     int
	Status  int
	Message *wire.Message
	IDMatch wire.IDMatch
	Missing string // a shared reason
	Label   string // one of the labels below
}

// Labels of a response that is no JSON-RPC answer. The statuses of statusLabels have one of their own, such as "http_404".
const (
	LabelHTML         = "html"           // status 2xx and a page
	LabelText         = "text"           // status 2xx and other text
	LabelEmpty        = "empty"          // status 2xx and nothing
	LabelNotJSON      = "not_json"       // status 2xx; claims to be JSON and is not
	LabelNotJSONRPC   = "not_jsonrpc"    // status 2xx; JSON, but not the answer
	LabelUndecodable  = "undecodable"    // status 2xx; a content coding that cannot be undone
	LabelBodyTooLarge = "body_too_large" // the cap was reached before the answer
	LabelHTTP1xx      = "http_1xx"
	LabelHTTP3xx      = "http_3xx" // a redirect that leads nowhere
	LabelHTTP4xx      = "http_4xx" // other than the statuses with a label of their own
	LabelHTTP5xx      = "http_5xx"
)

// statusLabels are the statuses with a label of their own.
var statusLabels = []int{400, 404, 405, 406, 410, 421}

// ReadReply reads the exchange. A message counts whatever the status, unless the status is that of a wall.
func ReadReply(t *wire.Transcript, e *wire.Exchange) Reply {
	r := Reply{Seq: e.Seq, Status: e.Status}
	a := t.Answer(e.Seq)
	if r.Missing = wall(e, a); r.Missing != "" {
		return r
	}
	if a.Message != nil {
		r.Message, r.IDMatch = a.Message, a.IDMatch
		return r
	}
	failure := e.Failure
	if stream := t.Exchange(e.StreamOf); failure == "" && stream != nil {
		failure = stream.Failure // the answer was to come there
	}
	switch {
	case failure == wire.HTTPBodyTooBig:
		r.Label = LabelBodyTooLarge
	case failure != "":
		r.Missing = string(failure)
	case e.Status == 0:
		r.Missing = string(wire.Interrupted)
	case a.Framing == wire.FramingSSE || e.StreamOf != 0 && 200 <= e.Status && e.Status < 300:
		r.Missing = string(wire.StreamEnded)
	default:
		r.Label = labelOf(e.Status, a.Framing)
	}
	return r
}

func labelOf(status int, framing wire.Framing) string {
	switch {
	case slices.Contains(statusLabels, status):
		return "http_" + strconv.Itoa(status)
	case status < 200:
		return LabelHTTP1xx
	case 300 <= status && status < 400:
		return LabelHTTP3xx
	case 400 <= status && status < 500:
		return LabelHTTP4xx
	case status >= 500:
		return LabelHTTP5xx
	}
	switch framing {
	case wire.FramingHTML:
		return LabelHTML
	case wire.FramingText:
		return LabelText
	case wire.FramingEmpty, wire.FramingNone:
		return LabelEmpty
	case wire.FramingInvalidJSON:
		return LabelNotJSON
	case wire.FramingUndecodable:
		return LabelUndecodable
	}
	return LabelNotJSONRPC
}
