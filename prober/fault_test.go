package prober

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// What each fault makes the prober ask, and how the visit ends.
func TestFaults(t *testing.T) {
	t.Parallel()
	session := "legacy initialize 200|legacy initialized 202|"
	whole := "modern discover 400|" + session + "legacy list_tools p1 200|legacy unknown_tool 200"
	for _, c := range []struct {
		fault, steps string
		ended        wire.Ended
	}{
		{"unauthorized", "modern discover 401", wire.EndedDone},
		{"unauthorized_challenge", "modern discover 401", wire.EndedDone},
		{"payment_required", "modern discover 402", wire.EndedDone},
		{"forbidden", "modern discover 403", wire.EndedDone},
		{"proxy_auth", "modern discover 407", wire.EndedDone},
		{"not_found", "modern discover 404|legacy initialize 404|legacy open_stream 404", wire.EndedDone},
		{"html_not_found", "modern discover 404|legacy initialize 404|legacy open_stream 404", wire.EndedDone},
		{"html_page", "modern discover 200|legacy initialize 200", wire.EndedDone},
		{"server_error", "modern discover 500|legacy initialize 500", wire.EndedDone},
		{"unavailable", "modern discover 503|legacy initialize 503", wire.EndedDone},
		{"rate_limited", "modern discover 429", wire.EndedDeferred},
		{"rate_limited_once", "modern discover 429|modern discover try2 400|" + strings.TrimPrefix(whole, "modern discover 400|"), wire.EndedDone},
		{"unavailable_once", "modern discover 503|modern discover try2 400|" + strings.TrimPrefix(whole, "modern discover 400|"), wire.EndedDone},
		{"empty", "modern discover 200|legacy initialize 200|legacy open_stream 200", wire.EndedDone},
		{"hang", "modern discover http.timeout_header|legacy initialize http.timeout_header", wire.EndedDone},
		{"hang_in_body", "modern discover 200 http.timeout_body|legacy initialize 200 http.timeout_body", wire.EndedDone},
		{"silent_stream", "modern discover 200 http.timeout_body|legacy initialize 200 http.timeout_body", wire.EndedDone},
		{"closed", "modern discover http.reset|modern discover try2 http.reset|legacy initialize http.reset|legacy initialize try2 http.reset", wire.EndedDone},
		{"reset", "modern discover http.reset|modern discover try2 http.reset|legacy initialize http.reset|legacy initialize try2 http.reset", wire.EndedDone},
		{"cut_in_body", "modern discover 200 http.reset|modern discover try2 200 http.reset|legacy initialize 200 http.reset|legacy initialize try2 200 http.reset", wire.EndedDone},
		{"not_http", "modern discover http.malformed|legacy initialize http.malformed", wire.EndedDone},
		{"endless_header", "modern discover http.header_too_large|legacy initialize http.header_too_large", wire.EndedDone},
		{"endless_body", "modern discover 200 http.body_too_large|legacy initialize 200 http.body_too_large", wire.EndedDone},
		{"endless_events", "modern discover 200 stream.too_many_events|legacy initialize 200 stream.too_many_events", wire.EndedDone},
		{"redirect_cross_host", "modern discover 308 policy.redirect|legacy initialize 308 policy.redirect", wire.EndedDone},
		{"redirect_found", "modern discover 302 policy.redirect|legacy initialize 302 policy.redirect", wire.EndedDone},
		{"redirect_loop", "modern discover 307|modern discover 307 follows1|modern discover 307 policy.redirect follows2|" +
			"legacy initialize 307|legacy initialize 307 follows4|legacy initialize 307 policy.redirect follows5", wire.EndedDone},
		{"redirect_same_host", "modern discover 308|modern discover 400 follows1|legacy initialize 308|legacy initialize 200 follows3|" +
			"legacy initialized 202|legacy list_tools p1 200|legacy unknown_tool 200", wire.EndedDone},
		{"list_unauthorized", "modern discover 400|" + session + "legacy list_tools p1 401", wire.EndedDone},
		{"list_hangs", "modern discover 400|" + session + "legacy list_tools p1 http.timeout_header|legacy unknown_tool 200", wire.EndedDone},
		{"list_error", whole, wire.EndedDone},
		{"no_protocol_version", "modern discover 400|" + session + "legacy list_tools p1 200", wire.EndedDone},
		{"no_server_info", whole, wire.EndedDone},
		{"initialize_null", "modern discover 400|legacy initialize 200", wire.EndedDone},
		{"initialize_error", "modern discover 400|legacy initialize 200", wire.EndedDone},
		{"id_as_string", "modern discover 200|" + session + "legacy list_tools p1 200|legacy unknown_tool 200", wire.EndedDone},
		{"id_null", "modern discover 200|" + session + "legacy list_tools p1 200|legacy unknown_tool 200", wire.EndedDone},
		{"id_other", "modern discover 200|legacy initialize 200", wire.EndedDone},
		{"invalid_json", "modern discover 200|legacy initialize 200", wire.EndedDone},
		{"unknown_revision", whole, wire.EndedDone},
		{"tools_null", whole, wire.EndedDone},
		{"tools_object", whole, wire.EndedDone},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, probertest.Server{Tools: twoTools}.WithFault(c.fault))
			r := newRig()
			if strings.Contains(c.steps, "timeout") {
				r.quick()
			}
			r.Limits.BodyBytes = 256 << 10
			transcript := r.probe(t, Target{URL: server.URL})
			wantSteps(t, transcript, strings.Split(c.steps, "|")...)
			if transcript.Ended != c.ended {
				t.Errorf("ended %s, want %s", transcript.Ended, c.ended)
			}
		})
	}
}

func TestPagination(t *testing.T) {
	t.Parallel()
	page := func(n int) string {
		all := ""
		for i := range n {
			all += fmt.Sprintf("legacy list_tools p%d 200|", i+1)
		}
		return "modern discover 400|legacy initialize 200|legacy initialized 202|" + all + "legacy unknown_tool 200"
	}
	for _, c := range []struct {
		fault string
		pages int
	}{
		{"cursor_empty_at_end", 2}, {"cursor_empty_is_real", 2}, {"cursor_null_at_end", 1}, {"cursor_same", 2},
		{"cursor_cycle", 2}, {"cursor_fresh", 2}, {"cursor_number", 1}, {"tools_endless", 5},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, probertest.Server{Tools: twoTools}.WithFault(c.fault))
			r := newRig()
			r.Limits.Pages = 5
			wantSteps(t, r.probe(t, Target{URL: server.URL}), strings.Split(page(c.pages), "|")...)
		})
	}
}

// A cursor travels back byte for byte.
func TestCursorVerbatim(t *testing.T) {
	t.Parallel()
	const cursor = `"\u00e9<&>\/ é\ud83d\ude00"`
	server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "tools/list", Nth: 1,
		Reply: probertest.JSONReply(200, `{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[{"name":"a"}],"nextCursor":`+cursor+`}}`)}}})
	newRig().probe(t, Target{URL: server.URL})
	for _, r := range server.Log() {
		if r.Method == "tools/list" && r.Cursor != nil {
			if string(r.Cursor) != cursor {
				t.Errorf("sent %s, want %s", r.Cursor, cursor)
			}
			return
		}
	}
	t.Error("no second page was asked for")
}

func TestToolCap(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Paging: probertest.EndlessTools})
	r := newRig()
	r.Limits.Tools = 3
	if n := len(exchangesOf(r.probe(t, Target{URL: server.URL}), wire.StepListTools)); n != 3 {
		t.Errorf("%d pages, want 3", n)
	}
}

func TestSessionLost(t *testing.T) {
	t.Parallel()
	begin := "modern discover 400|legacy initialize 200|legacy initialized 202|legacy list_tools p1 "
	again := "|legacy initialize try2 200|legacy initialized try2 202|legacy list_tools p1 try2 200|legacy unknown_tool 200|legacy delete 200"
	for name, reply := range map[string]probertest.Reply{
		"404":              probertest.JSONReply(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`),
		"400":              probertest.PlainReply(400, "Bad Request: Mcp-Session-Id header is required"),
		"200 in a stream":  probertest.StreamReply("event: message\ndata: {\"error\":\"Session not found\"}\n\n", probertest.Finish),
		"400 with id null": probertest.JSONReply(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Steps: []probertest.Step{{On: "tools/list", Nth: 1, Reply: reply}}})
			transcript := newRig().probe(t, Target{URL: server.URL})
			first, end := "404", ""
			switch {
			case strings.HasPrefix(name, "400"):
				first = "400"
			case strings.HasPrefix(name, "200"):
				first, end = "200 stream.ended", "|legacy delete try2 200" // the first session was not refused
			}
			wantSteps(t, transcript, strings.Split(begin+first+again+end, "|")...)
			for _, e := range exchangesOf(transcript, wire.StepInitialize) {
				if _, sent := e.RequestHeader.Get("Mcp-Session-Id"); sent {
					t.Error("initialize carries the old session")
				}
			}
		})
	}
	t.Run("the new session completes the handshake", func(t *testing.T) {
		t.Parallel()
		broken := probertest.JSONReply(200, `{"jsonrpc":"2.0","id":{{id}},"result":{"capabilities":{}}}`)
		broken.Header = append(broken.Header, wire.Field{Name: "Mcp-Session-Id", Value: "s"})
		server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, PageSize: 1, Steps: []probertest.Step{{On: "initialize", Nth: 1, Reply: broken}}})
		wantSteps(t, newRig().probe(t, Target{URL: server.URL}), "modern discover 400", "legacy initialize 200", "legacy initialized 404",
			"legacy list_tools p1 404", "legacy initialize try2 200", "legacy initialized try2 202", "legacy list_tools p1 try2 200",
			"legacy list_tools p2 200", "legacy unknown_tool 200", "legacy delete 200")
	})
	t.Run("always", func(t *testing.T) {
		t.Parallel()
		server := probertest.Start(t, probertest.Server{Sessions: true, Steps: []probertest.Step{{On: "tools/list", Reply: probertest.StatusReply(404)}}})
		wantSteps(t, newRig().probe(t, Target{URL: server.URL}), strings.Split(begin+
			"404|legacy initialize try2 200|legacy initialized try2 202|legacy list_tools p1 try2 404|legacy unknown_tool 200|legacy delete 200", "|")...)
	})
}

// The gate waits for short pauses; a long one, or a second one, ends the visit.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	pause := func(status int, seconds string) probertest.Reply {
		return probertest.StatusReply(status, "Retry-After", seconds)
	}
	slowDown := func(status int, data string) probertest.Reply {
		return probertest.Reply{
			Status: status, Header: []wire.Field{{Name: "Retry-After", Value: "3600"}, {Name: "Content-Type", Value: "application/json"}},
			Body: `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32023,"message":"slow down","data":` + data + `}}`,
		}
	}
	for _, c := range []struct {
		name  string
		reply probertest.Reply
		heard []time.Duration // by the gate
		ended wire.Ended
		pause time.Duration
	}{
		{"short", pause(429, "3"), []time.Duration{3 * time.Second, 3 * time.Second}, wire.EndedDeferred, 3 * time.Second},
		{"none", probertest.StatusReply(429), []time.Duration{0, 0}, wire.EndedDeferred, 2 * time.Second},
		{"long", pause(503, "3600"), []time.Duration{time.Hour}, wire.EndedDeferred, time.Hour},
		{"long, gateway error", pause(520, "120"), []time.Duration{2 * time.Minute}, wire.EndedDeferred, 2 * time.Minute},
		{"long, success", pause(200, "120"), []time.Duration{2 * time.Minute}, wire.EndedDeferred, 2 * time.Minute},
		{"long, redirect", probertest.StatusReply(307, "Retry-After", "120", "Location", "/other"), []time.Duration{2 * time.Minute}, wire.EndedDeferred, 2 * time.Minute},
		{"short, gateway error", pause(520, "3"), []time.Duration{3 * time.Second, 3 * time.Second}, wire.EndedDone, 0},
		{"milliseconds win", slowDown(429, `{"retryAfterMs":1500}`), []time.Duration{1500 * time.Millisecond, 1500 * time.Millisecond}, wire.EndedDeferred, 1500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "any", Reply: c.reply}}})
			r, gate := newRig(), &gateLog{}
			transcript, err := r.Probe(t.Context(), Target{Key: "k", URL: server.URL}, gate)
			if err != nil {
				t.Fatal(err)
			}
			if transcript.Ended != c.ended || transcript.RetryAfter != c.pause {
				t.Errorf("ended %s, pause %s", transcript.Ended, transcript.RetryAfter)
			}
			if !slices.Equal(gate.pauses, c.heard) || len(server.Log()) != len(c.heard) {
				t.Errorf("the gate heard %v and %d requests were sent, want %v", gate.pauses, len(server.Log()), c.heard)
			}
			if len(r.slept) > 0 {
				t.Errorf("slept %v beside the gate", r.slept)
			}
		})
	}
}

// A long pause that is named behind the handshake keeps the session from being ended, too.
func TestLongPauseWithinSession(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Sessions: true, Steps: []probertest.Step{
		{On: "tools/list", Reply: probertest.StatusReply(403, "Retry-After", "120")},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL})
	wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 403")
	if transcript.Ended != wire.EndedDeferred || transcript.RetryAfter != 2*time.Minute {
		t.Errorf("ended %s, pause %s", transcript.Ended, transcript.RetryAfter)
	}
}

// An error of SEP-3304 without a pause gets the default one, for the gate sees no status that says so.
func TestDefaultPauseForGate(t *testing.T) {
	t.Parallel()
	reply := probertest.JSONReply(200, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32023,"message":"slow down"}}`)
	server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "any", Reply: reply}}})
	gate := &gateLog{}
	if _, err := newRig().Probe(t.Context(), Target{Key: "k", URL: server.URL}, gate); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{2 * time.Second, 2 * time.Second}; !slices.Equal(gate.pauses, want) {
		t.Errorf("the gate heard %v, want %v", gate.pauses, want)
	}
}

// The clock of the wall can be set back during a visit.
func TestVisitNeverEndsBeforeItStarts(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{})
	r, calls := newRig(), 0
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	r.Now = func() time.Time {
		calls++
		if calls == 1 {
			return start
		}
		return start.Add(-time.Hour)
	}
	transcript := r.probe(t, Target{URL: server.URL})
	if calls < 2 || transcript.Finished.Before(transcript.Started) {
		t.Errorf("finished %s, started %s", transcript.Finished, transcript.Started)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools})
	gate := &gateLog{budget: 3}
	transcript, err := newRig().Probe(t.Context(), Target{Key: "k", URL: server.URL}, gate)
	if err != nil {
		t.Fatal(err)
	}
	wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 policy.budget")
	if transcript.Ended != wire.EndedBudget || len(server.Log()) != 3 {
		t.Errorf("ended %s after %d requests", transcript.Ended, len(server.Log()))
	}
}

func TestDeadlineAndInterruption(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"hang", "silent_stream", "hang_in_body"} {
		server := probertest.Start(t, probertest.Server{}.WithFault(fault))
		r := newRig()
		r.Limits.Deadline = 60 * time.Millisecond
		transcript := r.probe(t, Target{URL: server.URL})
		if transcript.Ended != wire.EndedDeadline || len(transcript.Exchanges) != 1 || transcript.Exchanges[0].Failure != wire.Deadline {
			t.Errorf("%s: ended %s:\n%s", fault, transcript.Ended, steps(transcript))
		}
		ctx, cancel := context.WithCancel(t.Context())
		arrived := make(chan struct{})
		stopping := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "any", When: func(*http.Request) bool { close(arrived); return true }, Reply: probertest.Reply{Hang: true}}}})
		go func() { <-arrived; cancel() }()
		transcript, err := newRig().Probe(ctx, Target{Key: "k", URL: stopping.URL}, nil)
		if err != nil || transcript.Ended != wire.EndedInterrupted || transcript.Exchanges[0].Failure != wire.Interrupted {
			t.Errorf("%v, ended %s", err, transcript.Ended)
		}
	}
}

// A refused target costs no packet: nobody connects to the listener.
func TestPolicyOpensNoSocket(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			opened.Add(1)
			_ = c.Close()
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r := newRig()
	r.AllowPrivate = false
	r.Resolver = dial.NewResolver(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "mcp.localhost", "2130706433", "0177.0.0.1", "rebind.example"} {
		transcript := r.probe(t, Target{URL: "http://user:secret@" + host + ":" + port + "/mcp"})
		wantSteps(t, transcript, "modern discover policy.address")
		if transcript.Outcome() != string(wire.PolicyAddress) || strings.Contains(transcript.Exchanges[0].URL, "secret") {
			t.Errorf("%s: outcome %s, URL %s", host, transcript.Outcome(), transcript.Exchanges[0].URL)
		}
	}
	if n := opened.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

func TestAllowedCalls(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern, wire.OfferLegacy}, Tools: []probertest.Tool{{
		Name: "wétter", InputSchema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"},"off":{"type":"string","x-mcp-header":"Off"}}}`,
	}}})
	arguments := json.RawMessage(`{"region": "münchen<&>", "n": 3}`)
	transcript := newRig().probe(t, Target{URL: server.URL, Calls: []Call{{Tool: "wétter", Arguments: arguments}}})
	calls := exchangesOf(transcript, wire.StepCall)
	if len(calls) != 2 || server.MaxConcurrent() != 1 {
		t.Fatalf("%d calls:\n%s", len(calls), steps(transcript))
	}
	for name, want := range map[string]string{
		"Mcp-Name": "=?base64?d8OpdHRlcg==?=", "Mcp-Param-Region": "=?base64?bcO8bmNoZW48Jj4=?=", "Mcp-Param-Count": "3", "Mcp-Param-Off": "",
	} {
		if got, _ := calls[0].RequestHeader.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if _, sent := calls[1].RequestHeader.Get(name); sent {
			t.Errorf("the legacy call carries %s", name)
		}
	}
	for _, e := range calls {
		if !strings.Contains(string(e.RequestBody), string(arguments)) {
			t.Errorf("sent %s", e.RequestBody)
		}
		if a := transcript.Answer(e.Seq); a.Message == nil || a.Message.Type != wire.TypeResult {
			t.Errorf("no result: %s", e.Body)
		}
	}
}

// A call of a tool is never repeated, also not when the connection breaks.
func TestCallsAreNotRepeated(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]probertest.Reply{
		"reset": {Hijack: true, Then: probertest.Cut}, "accepted": probertest.StatusReply(202), "busy": probertest.StatusReply(429, "Retry-After", "1"),
	} {
		server := probertest.Start(t, probertest.Server{Tools: twoTools, Steps: []probertest.Step{{On: "tools/call", Reply: reply}}})
		transcript := newRig().quick().probe(t, Target{URL: server.URL, Calls: []Call{{Tool: "a"}}})
		for tool, n := range map[string]int{"a": 0, transcript.UnknownTool: 0} {
			for _, called := range server.Calls() {
				if called == tool {
					n++
				}
			}
			if n > 1 && (name != "busy" || tool != transcript.UnknownTool) {
				t.Errorf("%s: %s was called %d times", name, tool, n)
			}
		}
	}
}
