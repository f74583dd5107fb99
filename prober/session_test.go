package prober

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// withSession is a JSON reply that gives a session.
func withSession(status int, body, session string) probertest.Reply {
	reply := probertest.JSONReply(status, body)
	reply.Header = append(reply.Header, wire.Field{Name: "Mcp-Session-Id", Value: session})
	return reply
}

// Every session that a server gave is ended once, at the end of the visit.
func TestSessionsAreEnded(t *testing.T) {
	t.Parallel()
	const complete = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	hello := withSession(200, `{"jsonrpc":"2.0","id":{{id}},`+complete+`}`, "a")
	for name, c := range map[string]struct {
		steps []probertest.Step
		want  string
		ended []string
	}{
		"initialize with the id of somebody else": {
			[]probertest.Step{{On: "initialize", Reply: withSession(200, `{"jsonrpc":"2.0","id":"x",`+complete+`}`, "a")}},
			"modern discover 400|legacy initialize 200|legacy delete 200", []string{"a"},
		},
		"initialize without an answer": {
			[]probertest.Step{{On: "initialize", Reply: withSession(200, `{}`, "a")}},
			"modern discover 400|legacy initialize 200|legacy delete 200", []string{"a"},
		},
		"initialize with an error status": {
			[]probertest.Step{{On: "initialize", Reply: withSession(500, `{"jsonrpc":"2.0","id":{{id}},`+complete+`}`, "a")}},
			"modern discover 400|legacy initialize 500|legacy delete 200", []string{"a"},
		},
		"discover": {
			[]probertest.Step{
				{On: "server/discover", Reply: withSession(400, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"no"}}`, "d")},
				{On: "initialize", Reply: hello},
			},
			"modern discover 400|legacy initialize 200|legacy initialized 202|legacy list_tools p1 200|legacy unknown_tool 200|" +
				"modern delete 200|legacy delete 200", []string{"d", "a"},
		},
		"refused at the door": {
			[]probertest.Step{{On: "server/discover", Reply: withSession(401, `{}`, "d")}},
			"modern discover 401|modern delete 200", []string{"d"},
		},
		"refused within": {
			[]probertest.Step{{On: "initialize", Reply: hello}, {On: "tools/list", Reply: withSession(403, `{}`, "a")}},
			"modern discover 400|legacy initialize 200|legacy initialized 202|legacy list_tools p1 403|legacy delete 200", []string{"a"},
		},
		"busy for long": {
			[]probertest.Step{{On: "initialize", Reply: hello}, {On: "tools/list", Reply: probertest.StatusReply(503, "Retry-After", "3600")}},
			"modern discover 400|legacy initialize 200|legacy initialized 202|legacy list_tools p1 503", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := append([]probertest.Step{{On: "DELETE", Reply: probertest.StatusReply(200)}}, c.steps...)
			server := probertest.Start(t, probertest.Server{Tools: twoTools, Steps: steps})
			wantSteps(t, newRig().probe(t, Target{URL: server.URL}), strings.Split(c.want, "|")...)
			var ended []string
			for _, r := range server.Log() {
				if r.HTTPMethod == http.MethodDelete {
					ended = append(ended, r.Session)
				}
			}
			if strings.Join(ended, " ") != strings.Join(c.ended, " ") {
				t.Errorf("ended %v, want %v", ended, c.ended)
			}
		})
	}
}

// A result that comes with an error status, or holds a message of its own, completes no handshake.
func TestNoHandshake(t *testing.T) {
	t.Parallel()
	const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`
	for _, reply := range []probertest.Reply{
		probertest.JSONReply(500, `{"jsonrpc":"2.0","id":{{id}},"result":`+discovered+`}`),
		probertest.JSONReply(200, `{"jsonrpc":"2.0","id":{{id}},"result":{"jsonrpc":"2.0","id":{{id}},"result":{},`+discovered[1:]+`}`),
	} {
		server := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern}, Steps: []probertest.Step{{On: "server/discover", Reply: reply}}})
		if got := steps(newRig().probe(t, Target{URL: server.URL})); strings.Contains(got, "list_tools") {
			t.Errorf("a survey without a handshake:\n%s", got)
		}
	}
}

// A server that lists a tool of the name that cannot exist does not get it called.
func TestUnknownToolIsListed(t *testing.T) {
	t.Parallel()
	const key = "https://example.com/mcp"
	server := probertest.Start(t, probertest.Server{
		Revisions: []string{wire.OfferModern, wire.OfferLegacy}, Tools: []probertest.Tool{{Name: "a"}, {Name: UnknownToolName(key)}}, PageSize: 1,
	})
	transcript := newRig().probe(t, Target{Key: key, URL: server.URL})
	wantSteps(t, transcript, "modern discover 200", "modern list_tools p1 200", "modern list_tools p2 200",
		"legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200", "legacy list_tools p2 200")
	if calls := server.Calls(); len(calls) > 0 {
		t.Errorf("called %v", calls)
	}
}

// Statuses that do not exist are no response.
func TestStatusBelow100(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"000", "042", "099"} {
		server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "any", Reply: probertest.Reply{
			Hijack: true, Body: "HTTP/1.1 " + status + " Odd\r\nContent-Length: 2\r\n\r\n{}",
		}}}})
		transcript := newRig().probe(t, Target{URL: server.URL})
		wantSteps(t, transcript, "modern discover http.malformed", "legacy initialize http.malformed")
		if got := transcript.Outcome(); got != string(wire.HTTPMalformed) {
			t.Errorf("status %s: outcome %s", status, got)
		}
	}
}
