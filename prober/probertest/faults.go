package probertest

import (
	"fmt"
	"net/http"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Fault is a named way to misbehave.
type Fault struct {
	Name  string
	Apply func(*Server)
}

// WithFault returns the server with that fault; it panics when there is no fault of the name, which is a mistake in the
// test.
func (s Server) WithFault(name string) Server {
	for _, f := range Faults() {
		if f.Name == name {
			f.Apply(&s)
			return s
		}
	}
	panic("probertest: no fault is called " + name)
}

// Faults returns every named fault.
func Faults() []Fault {
	return append(append(httpFaults(), messageFaults()...), listFaults()...)
}

var (
	jsonType   = []wire.Field{{Name: "Content-Type", Value: "application/json"}}
	streamType = []wire.Field{{Name: "Content-Type", Value: "text/event-stream"}}
)

// HTMLReply is a page where a message should be.
func HTMLReply(status int) Reply {
	return Reply{Status: status, Header: []wire.Field{{Name: "Content-Type", Value: "text/html; charset=utf-8"}},
		Body: fmt.Sprintf("<!doctype html><html><head><title>%s</title></head><body></body></html>", http.StatusText(status))}
}

// PlainReply is a text where a message should be.
func PlainReply(status int, text string) Reply {
	return Reply{Status: status, Header: []wire.Field{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}}, Body: text}
}

// StatusReply has a status, header fields in pairs of name and value, and no body.
func StatusReply(status int, fields ...string) Reply {
	p := Reply{Status: status}
	for i := 0; i+1 < len(fields); i += 2 {
		p.Header = append(p.Header, wire.Field{Name: fields[i], Value: fields[i+1]})
	}
	return p
}

// JSONReply is a body that calls itself JSON.
func JSONReply(status int, body string) Reply {
	return Reply{Status: status, Header: jsonType, Body: body}
}

// StreamReply is a body that calls itself an event stream.
func StreamReply(body string, then After) Reply {
	return Reply{Header: streamType, Body: body, Then: then}
}

// steps makes the fault that answers p to what on matches.
func steps(name, on string, p Reply) Fault {
	return Fault{Name: name, Apply: func(s *Server) { s.Steps = append(s.Steps, Step{On: on, Reply: p}) }}
}

// once makes the fault that answers p to the first match alone.
func once(name, on string, p Reply) Fault {
	return Fault{Name: name, Apply: func(s *Server) { s.Steps = append(s.Steps, Step{On: on, Nth: 1, Reply: p}) }}
}

// httpFaults happen below the message.
func httpFaults() []Fault {
	bearer := `Bearer resource_metadata="{{origin}}/.well-known/oauth-protected-resource"`
	return []Fault{
		steps("html_page", "any", HTMLReply(http.StatusOK)),
		steps("html_not_found", "any", HTMLReply(http.StatusNotFound)),
		steps("unauthorized", "any", JSONReply(http.StatusUnauthorized, `{"error":"unauthorized"}`)),
		steps("unauthorized_challenge", "any", StatusReply(http.StatusUnauthorized, "WWW-Authenticate", bearer)),
		steps("payment_required", "any", StatusReply(http.StatusPaymentRequired)),
		steps("forbidden", "any", PlainReply(http.StatusForbidden, "forbidden")),
		steps("forbidden_scope", "any", StatusReply(http.StatusForbidden, "WWW-Authenticate", `Bearer error="insufficient_scope"`)),
		steps("not_found", "any", StatusReply(http.StatusNotFound)),
		steps("proxy_auth", "any", StatusReply(http.StatusProxyAuthRequired)),
		steps("rate_limited", "any", StatusReply(http.StatusTooManyRequests, "Retry-After", "3600")),
		once("rate_limited_once", "any", StatusReply(http.StatusTooManyRequests, "Retry-After", "1")),
		steps("server_error", "any", PlainReply(http.StatusInternalServerError, "Internal Server Error")),
		steps("unavailable", "any", StatusReply(http.StatusServiceUnavailable)),
		once("unavailable_once", "any", StatusReply(http.StatusServiceUnavailable, "Retry-After", "1")),
		steps("empty", "any", StatusReply(http.StatusOK)),
		steps("accepted", "request", StatusReply(http.StatusAccepted)),
		steps("hang", "any", Reply{Hang: true}),
		steps("hang_in_body", "any", Reply{Header: jsonType, Body: `{"jsonrpc":"2.0","id":{{id}},"res`, Then: HoldOpen}),
		steps("silent_stream", "any", StreamReply("", HoldOpen)),
		steps("reset", "any", Reply{Hijack: true, Then: Cut}),
		steps("closed", "any", Reply{Hijack: true}),
		steps("cut_in_body", "any", Reply{Header: jsonType, Body: `{"jsonrpc":"2.0","id":{{id}},"res`, Then: Cut}),
		steps("not_http", "any", Reply{Hijack: true, Body: "SSH-2.0-OpenSSH_9.2\r\n"}),
		steps("endless_body", "any", Reply{Header: jsonType, Body: `{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[{"name":"`, Repeat: "A", Count: -1}),
		steps("endless_events", "any", Reply{Header: streamType, Repeat: event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`), Count: -1}),
		steps("endless_header", "any", Reply{Hijack: true, Body: "HTTP/1.1 200 OK\r\n", Repeat: "X-A: b\r\n", Count: -1}),
		steps("redirect_cross_host", "any", StatusReply(http.StatusPermanentRedirect, "Location", "http://elsewhere.invalid/mcp")),
		steps("redirect_loop", "any", StatusReply(http.StatusTemporaryRedirect, "Location", "{{origin}}/mcp")),
		steps("redirect_found", "any", StatusReply(http.StatusFound, "Location", "{{origin}}/login")),
		{Name: "redirect_same_host", Apply: func(s *Server) {
			from := s.EndpointPath()
			s.Also = append(s.Also, "/moved")
			s.Steps = append(s.Steps, Step{On: "any", Path: from, Reply: StatusReply(http.StatusPermanentRedirect, "Location", "{{origin}}/moved")})
		}},
		steps("list_unauthorized", "tools/list", StatusReply(http.StatusUnauthorized)),
		steps("list_hangs", "tools/list", Reply{Hang: true}),
		once("session_lost", "tools/list", JSONReply(http.StatusNotFound, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)),
		steps("endpoint_other_origin", "GET", StreamReply("event: endpoint\ndata: http://elsewhere.invalid/messages\n\n", HoldOpen)),
		steps("endpoint_never", "GET", StreamReply(": hello\n\n", HoldOpen)),
		steps("endpoint_json", "GET", StreamReply("event: endpoint\ndata: {\"uri\":\"/messages\"}\n\n", HoldOpen)),
	}
}
