package exchange

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// RateLimited is the error code of draft SEP-3304.
const RateLimited = -32023

// Call is one JSON-RPC message to carry.
type Call struct {
	Step   wire.Step
	Page   int
	Try    int
	ID     json.RawMessage // nil for a notification
	Method string          // of JSON-RPC
	Name   string          // of the tool that is called; empty for other methods
	Header wire.Header     // beside those of the transport, such as Mcp-Param-*
	Body   []byte
}

// Reply is what came of a call.
type Reply struct {
	Exchange *wire.Exchange // of the last hop
	URL      *url.URL       // that the last hop went to
	Answer   *wire.Message  // a result or an error; nil when there is none
	Match    wire.IDMatch   // how the id of the answer compares
	Blocked  error          // why the gate did not let it pass
}

// ReplyOf returns what a response that was read holds.
func ReplyOf(resp *Response) Reply {
	reply := Reply{Exchange: resp.Exchange, URL: resp.URL, Blocked: resp.Blocked}
	if resp.Exchange.RequestID != nil && resp.Exchange.Status != 0 {
		answer := resp.Answer()
		reply.Answer, reply.Match = answer.Message, answer.IDMatch
	}
	return reply
}

// Pause returns the pause that the reply asks for, and whether it asks for one.
func (r Reply) Pause(now time.Time) (time.Duration, bool) {
	field, _ := r.Exchange.ResponseHeader.Get("Retry-After")
	var data json.RawMessage
	if r.Answer != nil && r.Answer.Error != nil {
		data = r.Answer.Error.Data
	}
	return wire.Asked(field, data, now)
}

// ErrorCode returns the code of the error that the reply holds, or 0.
func (r Reply) ErrorCode() int64 {
	if r.Answer == nil || r.Answer.Error == nil || !r.Answer.Error.CodeIsInt {
		return 0
	}
	return r.Answer.Error.CodeInt
}

// maxReplies is how many requests of the server are answered in one probe.
const maxReplies = 4

// ReplyTo returns the message that answers a request of the server: an empty result for ping, and a refusal for the
// rest, since the census declares no capabilities. It is false for anything else than a request, and when enough were
// answered.
func (r *Recorder) ReplyTo(event wire.Event) ([]byte, bool) {
	payload, ok := event.Payload()
	if !ok || r.replies >= maxReplies {
		return nil, false
	}
	m, err := wire.ReadMessage(payload)
	if err != nil || m.Type != wire.TypeRequest {
		return nil, false
	}
	if kind := wire.KindOf(m.ID); kind != wire.KindString && kind != wire.KindNumber {
		return nil, false
	}
	r.replies++
	body := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	if m.Method == "ping" {
		return append(body, `,"result":{}}`...), true
	}
	return append(body, `,"error":{"code":-32601,"message":"Method not found"}}`...), true
}

// AwaitAnswer waits on a stream for the answer to id, from a place on. Other events are given to other.
func AwaitAnswer(ctx context.Context, s *Stream, from int, id json.RawMessage, other func(wire.Event)) (*wire.Message, wire.IDMatch) {
	scanner := wire.NewStreamScanner(id)
	s.Await(ctx, from, func(event wire.Event) bool {
		payload, ok := event.Payload()
		if ok && scanner.Offer(payload) {
			return true
		}
		other(event)
		return false
	})
	return scanner.Answer()
}
