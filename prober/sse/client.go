package sse

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Client carries the messages of one session over an open stream.
type Client struct {
	recorder *exchange.Recorder
	stream   *exchange.Stream
	endpoint *url.URL
}

// Open opens the stream and waits for its endpoint event. The client is nil when there is no usable one; the reply says
// why.
func Open(ctx context.Context, recorder *exchange.Recorder, target *url.URL, try int) (*Client, exchange.Reply) {
	resp := recorder.Send(ctx, exchange.Request{
		Era: wire.Legacy, Transport: wire.HTTPSSE, Step: wire.StepOpenStream, Try: try, Method: http.MethodGet, URL: target,
		Header: wire.Header{{Name: "Accept", Value: "text/event-stream"}}, Lasting: true,
	})
	label, _ := resp.Exchange.ResponseHeader.Get("Content-Type")
	if !resp.Open() || resp.Exchange.Status != http.StatusOK || !wire.IsEventStream(label, nil) {
		resp.Limit()
		resp.Read(exchange.Reader{})
		return nil, exchange.ReplyOf(resp)
	}
	stream := recorder.Background(resp)
	data, found := awaitEndpoint(ctx, recorder, stream)
	if !found {
		ended := stream.Ended()
		stream.Close()
		if e := resp.Exchange; e.Failure == "" {
			e.LeftOpen = false
			e.Failure, e.FailureDetail = wire.HTTPTimeoutBody, "no endpoint event in the time of one step"
			if ended {
				e.Failure, e.FailureDetail = wire.StreamEnded, "the event stream ended before an endpoint event"
			}
		}
		return nil, exchange.ReplyOf(resp)
	}
	endpoint, err := endpointURL(resp.URL, data)
	if err != nil {
		stream.Close()
		resp.Exchange.LeftOpen = false
		resp.Exchange.Failure, resp.Exchange.FailureDetail = wire.PolicyEndpoint, err.Error()
		return nil, exchange.ReplyOf(resp)
	}
	// The exchange of the stream is still being written to: the reply holds nothing of it but the URL.
	return &Client{recorder: recorder, stream: stream, endpoint: endpoint}, exchange.Reply{Exchange: &wire.Exchange{}, URL: resp.URL}
}

// awaitEndpoint waits for the first endpoint event. Later ones are ignored.
func awaitEndpoint(ctx context.Context, recorder *exchange.Recorder, stream *exchange.Stream) (data string, found bool) {
	ctx, cancel := context.WithTimeout(ctx, recorder.Limits().Step)
	defer cancel()
	found = stream.Await(ctx, 0, func(event wire.Event) bool {
		data = event.Data
		return event.Type == wire.EndpointEvent
	})
	return data, found
}

// Do posts one message and waits for its answer on the stream. A few servers answer in the POST itself; that is taken,
// too.
func (c *Client) Do(ctx context.Context, call exchange.Call) exchange.Reply {
	mark := c.stream.Mark()
	resp := c.post(ctx, call)
	resp.Read(exchange.Reader{ID: call.ID})
	reply := exchange.ReplyOf(resp)
	e := reply.Exchange
	if call.ID == nil || e.Seq == 0 {
		return reply
	}
	e.StreamOf = c.stream.Response.Exchange.Seq
	if reply.Answer != nil || e.Failure != "" || e.Status/100 != 2 {
		return reply
	}
	c.await(ctx, &reply, mark)
	return reply
}

func (c *Client) await(ctx context.Context, reply *exchange.Reply, mark int) {
	e := reply.Exchange
	waiting, cancel := context.WithTimeout(ctx, c.recorder.Limits().Step)
	defer cancel()
	reply.Answer, reply.Match = exchange.AwaitAnswer(waiting, c.stream, mark, e.RequestID, func(event wire.Event) {
		if body, ok := c.recorder.ReplyTo(event); ok {
			c.post(waiting, exchange.Call{Step: wire.StepServerReply, Body: body}).Read(exchange.Reader{})
		}
	})
	e.Duration = c.recorder.Now().Sub(e.Started) // until the answer, or the end of waiting for it
	switch {
	case reply.Answer != nil:
	case ctx.Err() != nil:
		e.Failure, e.FailureDetail = exchange.CutBy(ctx)
	case c.stream.Ended():
		e.Failure, e.FailureDetail = wire.StreamEnded, "the event stream ended before the answer"
	default:
		e.Failure, e.FailureDetail = wire.HTTPTimeoutBody, "no answer on the event stream in the time of one step"
	}
}

func (c *Client) post(ctx context.Context, call exchange.Call) *exchange.Response {
	header := wire.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json, text/event-stream"}}
	return c.recorder.Send(ctx, exchange.Request{
		Era: wire.Legacy, Transport: wire.HTTPSSE, Step: call.Step, Page: call.Page, Try: call.Try,
		Method: http.MethodPost, URL: c.endpoint, Header: append(header, call.Header...), Body: call.Body, ID: call.ID,
		Second: true,
	})
}

// Close ends the session by closing the stream.
func (c *Client) Close() { c.stream.Close() }
