package exchange

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// SessionHeader carries the session of the legacy streamable transport. It is a secret of one host: a redirect to
// another host does not take it along.
const SessionHeader = "Mcp-Session-Id"

// minStatus is the first status that there is (RFC 9110 §15).
const minStatus = 100

// errStep is the cause of a request's context when its time is over.
var errStep = errors.New("the time of the step has passed")

// Request is one HTTP request to send.
type Request struct {
	Era       wire.Era
	Transport wire.Transport
	Step      wire.Step
	Page      int
	Try       int // 0 stands for 1

	Method string
	URL    *url.URL
	Header wire.Header // in order; User-Agent is added
	Body   []byte
	ID     json.RawMessage // id of the JSON-RPC request in Body; nil when it holds none

	// Second sends it over the second connection, because a stream holds the first.
	Second bool
	// Lasting is for streams: the time of a step does not end them.
	Lasting bool

	follows int
}

// Send waits at the gate, sends the request, follows its redirects, and returns at the header of the last response.
// It always returns a response: whether there is anything to read says Response.Open.
func (r *Recorder) Send(ctx context.Context, req Request) *Response {
	req.Header = append(append(wire.Header(nil), req.Header...), wire.Field{Name: "User-Agent", Value: r.config.UserAgent})
	resp := r.send(ctx, req)
	for hop := 1; resp.Open() && dial.IsRedirect(resp.Exchange.Status); hop++ {
		e := resp.Exchange
		location, _ := e.ResponseHeader.Get("Location")
		resp.Limit()
		resp.Read(Reader{})
		to, err := dial.Follow(req.Method, req.URL, e.Status, location, hop)
		if err != nil {
			e.Failure, e.FailureDetail = dial.Classify(err)
			return resp
		}
		if e.Failure != "" {
			return resp
		}
		if !strings.EqualFold(to.Hostname(), req.URL.Hostname()) {
			req.Header = without(req.Header, SessionHeader)
		}
		req.URL, req.follows = to, e.Seq
		resp = r.send(ctx, req)
	}
	return resp
}

func without(h wire.Header, name string) wire.Header {
	var kept wire.Header
	for _, f := range h {
		if !strings.EqualFold(f.Name, name) {
			kept = append(kept, f)
		}
	}
	return kept
}

// send sends one request, without redirects.
func (r *Recorder) send(ctx context.Context, req Request) *Response {
	if _, long := r.LongPause(); long {
		return r.unsent(ctx, req, ErrPause)
	}
	if err := r.config.Gate.Wait(ctx, req.Page); err != nil {
		return r.unsent(ctx, req, err)
	}
	e := r.begin(req)
	stepCtx, cancel := context.WithCancelCause(ctx)
	resp := &Response{Exchange: e, URL: req.URL, recorder: r, ctx: stepCtx, cancel: cancel}
	if !req.Lasting {
		resp.timer = time.AfterFunc(r.config.Limits.Step, func() { cancel(errStep) })
	}
	link := &link{}
	request, err := newRequest(link.trace(stepCtx), req)
	if err != nil {
		resp.end(err, wire.HTTPMalformed)
		return resp
	}
	received, err := r.transport(req).RoundTrip(request) //nolint:bodyclose // Response.end closes it
	link.record(e)
	if err != nil {
		timeout := wire.ConnectTimeout
		if link.connected() {
			timeout = wire.HTTPTimeoutHeader
		}
		resp.end(err, timeout)
		return resp
	}
	resp.body = received.Body
	if received.StatusCode < minStatus { // net/http lets it pass, and 0 stands for no response
		resp.end(fmt.Errorf("malformed HTTP response: there is no status %03d", received.StatusCode), wire.HTTPTimeoutHeader)
		return resp
	}
	e.FirstByte = r.config.Now().Sub(e.Started)
	e.Status, e.Proto, e.DeclaredLength = received.StatusCode, received.Proto, received.ContentLength
	e.ResponseHeader = fields(received.Header)
	if received.TLS != nil {
		e.TLSVersion = tls.VersionName(received.TLS.Version)
	}
	return resp
}

// unsent is the response to a request that the gate, or a long pause, did not let pass. Only a spent budget is an exchange: it says which
// step is missing.
func (r *Recorder) unsent(ctx context.Context, req Request, err error) *Response {
	resp := &Response{Exchange: &wire.Exchange{}, URL: req.URL, recorder: r, settled: true, Blocked: err}
	switch {
	case errors.Is(err, ErrBudget):
		resp.Exchange = r.begin(req)
		resp.Exchange.Failure, resp.Exchange.FailureDetail = wire.PolicyBudget, dial.Printable(err.Error())
	case errors.Is(err, ErrPause):
		resp.Exchange.Failure, resp.Exchange.FailureDetail = wire.Interrupted, err.Error()
	default:
		resp.Exchange.Failure, resp.Exchange.FailureDetail = failureOf(ctx, err, wire.Interrupted)
	}
	return resp
}

func newRequest(ctx context.Context, req Request) (*http.Request, error) {
	var body io.Reader
	if req.Body != nil {
		body = bytes.NewReader(req.Body)
	}
	request, err := http.NewRequestWithContext(ctx, req.Method, req.URL.String(), body)
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // a body is never sent twice; dial.Transport keeps the rest from it
	for _, f := range req.Header {
		request.Header.Add(f.Name, f.Value)
	}
	return request, nil
}

// fields returns a header in the order of its names; net/http does not keep that of the wire.
func fields(h http.Header) wire.Header {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	sort.Strings(names)
	var list wire.Header
	for _, name := range names {
		for _, value := range h[name] {
			list = append(list, wire.Field{Name: name, Value: value})
		}
	}
	return list
}

// link learns which address a request went to. net/http can call it also after the request is over.
type link struct {
	mu     sync.Mutex
	remote string
	got    bool
}

func (l *link) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectStart: func(_, address string) { l.set(address, false) },
		GotConn:      func(info httptrace.GotConnInfo) { l.set(info.Conn.RemoteAddr().String(), true) },
	})
}

func (l *link) set(remote string, got bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remote, l.got = remote, l.got || got
}

func (l *link) record(e *wire.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.RemoteAddr = l.remote
}

func (l *link) connected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.got
}
