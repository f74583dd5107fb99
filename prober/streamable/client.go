package streamable

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Client carries the messages of one session to one endpoint.
type Client struct {
	Recorder *exchange.Recorder
	URL      *url.URL // where messages are posted
	Era      wire.Era
	Version  string // of the MCP-Protocol-Version header; empty before it was negotiated
	Session  string // of the Mcp-Session-Id header; empty when there is none
	// Sleep waits between attempts to resume.
	Sleep func(context.Context, time.Duration) error
	// Listen bounds how long a GET stream is listened to for an answer that the POST did not bring.
	Listen time.Duration

	listening *exchange.Stream // the GET stream on which this server answers; nil unless it does
	deaf      bool             // a GET stream brought nothing: not tried again
}

// Do carries one message and returns what came of it.
func (c *Client) Do(ctx context.Context, call exchange.Call) exchange.Reply {
	mark := 0
	if c.listening != nil {
		mark = c.listening.Mark()
		if c.listening.Ended() {
			c.Close()
		}
	}
	resp := c.Recorder.Send(ctx, exchange.Request{
		Era: c.Era, Transport: wire.StreamableHTTP, Step: call.Step, Page: call.Page, Try: call.Try,
		Method: http.MethodPost, URL: c.URL, Header: c.postHeader(call), Body: call.Body, ID: call.ID,
		Second: c.listening != nil,
	})
	last := c.read(ctx, resp, call)
	reply := exchange.ReplyOf(resp)
	if reply.Answer != nil || call.ID == nil || reply.Exchange.Failure != "" {
		return reply
	}
	if c.Era == wire.Legacy {
		c.fetch(ctx, &reply, last, mark)
	}
	if reply.Answer == nil && isEventStream(reply.Exchange) {
		reply.Exchange.Failure, reply.Exchange.FailureDetail = wire.StreamEnded, endedEarly
	}
	return reply
}

const endedEarly = "the event stream ended before the answer"

// Delete ends the session. try counts the sessions that are ended.
func (c *Client) Delete(ctx context.Context, try int) exchange.Reply {
	resp := c.Recorder.Send(ctx, exchange.Request{
		Era: c.Era, Transport: wire.StreamableHTTP, Step: wire.StepDelete, Try: try, Method: http.MethodDelete, URL: c.URL,
		Header: c.sessionHeader(), Second: c.listening != nil,
	})
	resp.Read(exchange.Reader{})
	return exchange.ReplyOf(resp)
}

// Close stops listening.
func (c *Client) Close() {
	if c.listening != nil {
		c.listening.Close()
		c.listening = nil
	}
}

// position is where an event stream stood when it ended.
type position struct {
	id    string // of the last event; empty when no event had one
	retry time.Duration
}

// defaultRetry is the pause before resuming when the server named none.
const defaultRetry = time.Second

// maxRetry is the longest pause before resuming that is waited for.
const maxRetry = 10 * time.Second

// read reads a response, answers requests of the server in it, and returns where its event stream stood at the end.
func (c *Client) read(ctx context.Context, resp *exchange.Response, call exchange.Call) position {
	at := position{retry: defaultRetry}
	resp.Read(exchange.Reader{ID: call.ID, Event: func(event wire.Event) {
		if event.ID != "" {
			at.id = event.ID
		}
		if event.Retry != nil {
			at.retry = min(time.Duration(*event.Retry)*time.Millisecond, maxRetry)
		}
		if c.Era == wire.Legacy && c.listening == nil { // otherwise both connections are taken
			c.replyTo(ctx, event)
		}
	}})
	return at
}

// replyTo answers a request of the server by a POST of its own, over the second connection.
func (c *Client) replyTo(ctx context.Context, event wire.Event) {
	body, ok := c.Recorder.ReplyTo(event)
	if !ok {
		return
	}
	c.Recorder.Send(ctx, exchange.Request{
		Era: c.Era, Transport: wire.StreamableHTTP, Step: wire.StepServerReply, Method: http.MethodPost, URL: c.URL,
		Header: c.postHeader(exchange.Call{}), Body: body, Second: true,
	}).Read(exchange.Reader{})
}
