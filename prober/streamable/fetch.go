package streamable

import (
	"context"
	"net/http"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// maxResumes is how often the stream of one answer is resumed.
const maxResumes = 2

// fetch looks for the answer to a request elsewhere: on the GET stream that the server is known to answer on, behind
// the last event of a stream that ended early, or on a GET stream after a response without content.
func (c *Client) fetch(ctx context.Context, reply *exchange.Reply, at position, mark int) {
	switch {
	case reply.Exchange.Status/100 != 2:
	case c.listening != nil:
		c.await(ctx, reply, mark)
	case at.id != "":
		c.resume(ctx, reply, at)
	case !c.deaf && accepted(reply.Exchange):
		c.listen(ctx, reply)
	}
}

// accepted says whether a response took the request and brought nothing: no content, or a stream without an event.
func accepted(e *wire.Exchange) bool {
	alone := wire.Transcript{Exchanges: []wire.Exchange{*e}}
	answer := alone.Answer(e.Seq)
	return answer.Framing == wire.FramingEmpty || e.Status == http.StatusAccepted && answer.Others == 0 ||
		answer.Framing == wire.FramingSSE && answer.Others == 0
}

// resume asks for what follows the last event (2025-11-25, basic/transports, Resumability and Redelivery).
func (c *Client) resume(ctx context.Context, reply *exchange.Reply, at position) {
	for range maxResumes {
		if c.Sleep(ctx, at.retry) != nil {
			return
		}
		// The exchange holds no request, but is read for the answer to one.
		resp := c.open(ctx, wire.Field{Name: "Last-Event-ID", Value: at.id})
		if !resp.Open() || !isEventStream(resp.Exchange) {
			resp.Read(exchange.Reader{})
			return
		}
		scanner := wire.NewStreamScanner(reply.Exchange.RequestID)
		next := c.read(ctx, resp, exchange.Call{ID: reply.Exchange.RequestID})
		events, _ := readEvents(resp.Exchange)
		for _, event := range events {
			if payload, ok := event.Payload(); ok {
				scanner.Offer(payload)
			}
		}
		if reply.Answer, reply.Match = scanner.Answer(); reply.Answer != nil {
			reply.Exchange.StreamOf = resp.Exchange.Seq
			return
		}
		if resp.Exchange.Failure != "" {
			return
		}
		resp.Exchange.Failure, resp.Exchange.FailureDetail = wire.StreamEnded, endedEarly
		if next.id == "" {
			return
		}
		at = next
	}
}

func readEvents(e *wire.Exchange) ([]wire.Event, []wire.Flaw) {
	body, _, err := e.Decoded(wire.MaxBody)
	if err != nil && len(body) == 0 {
		return nil, nil
	}
	return wire.Events(body)
}

// listen opens a GET stream and waits there for the answer. If it comes, the stream stays open for the answers to later
// requests; if not, this is not tried again. See Repeat.
func (c *Client) listen(ctx context.Context, reply *exchange.Reply) {
	c.deaf = true
	resp := c.open(ctx)
	if !resp.Open() || !isEventStream(resp.Exchange) {
		resp.Limit()
		resp.Read(exchange.Reader{})
		return
	}
	c.listening = c.Recorder.Background(resp)
	c.await(ctx, reply, 0)
}

// CanRepeat says whether a request that brought nothing can have an answer if it is sent again: some servers deliver
// answers only to a GET stream that is open already, and now one is.
func (c *Client) CanRepeat(reply exchange.Reply) bool {
	taken := reply.Exchange.Status/100 == 2 && (reply.Exchange.Failure == "" || reply.Exchange.Failure == wire.StreamEnded)
	return c.listening != nil && reply.Answer == nil && taken && !c.listening.Ended()
}

// await waits on the open GET stream for the answer.
func (c *Client) await(ctx context.Context, reply *exchange.Reply, mark int) {
	ctx, cancel := context.WithTimeout(ctx, c.Listen)
	defer cancel()
	reply.Answer, reply.Match = exchange.AwaitAnswer(ctx, c.listening, mark, reply.Exchange.RequestID,
		func(event wire.Event) { c.replyTo(ctx, event) })
	if reply.Answer != nil {
		reply.Exchange.StreamOf = c.listening.Response.Exchange.Seq
	}
}

func (c *Client) open(ctx context.Context, more ...wire.Field) *exchange.Response {
	header := append(wire.Header{{Name: "Accept", Value: eventStream}}, c.sessionHeader()...)
	return c.Recorder.Send(ctx, exchange.Request{
		Era: c.Era, Transport: wire.StreamableHTTP, Step: wire.StepOpenStream, Method: http.MethodGet, URL: c.URL,
		Header: append(header, more...), Lasting: len(more) == 0,
	})
}
