package prober

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

var declaredSSE = []wire.Transport{wire.HTTPSSE}

const sseSteps = "legacy initialize 202 on1|legacy initialized 202|legacy list_tools p1 202 on1|legacy list_tools p2 202 on1|legacy unknown_tool 202 on1"

func TestHTTPSSE(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Tools: twoTools, PageSize: 1})
	transcript := newRig().probe(t, Target{URL: server.URL, Declared: declaredSSE})
	wantSteps(t, transcript, strings.Split("legacy open_stream 200 open|"+sseSteps+"|modern discover 404", "|")...)
	for _, e := range transcript.Exchanges {
		if e.Era == wire.Modern {
			continue
		}
		a := transcript.Answer(e.Seq)
		if e.RequestID != nil && (a.Message == nil || a.Via != wire.ViaStream) {
			t.Errorf("exchange %d has no answer on the stream", e.Seq)
		}
		for _, name := range []string{"MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method"} {
			if _, sent := e.RequestHeader.Get(name); sent {
				t.Errorf("exchange %d sends %s", e.Seq, name)
			}
		}
	}
	if opened, highest := server.Connections(); opened != 2 || highest != 2 {
		t.Errorf("%d connections, %d at a time, want 2", opened, highest)
	}
	if server.MaxConcurrent() != 1 {
		t.Errorf("%d posts at a time", server.MaxConcurrent())
	}
}

// An endpoint that is not declared as HTTP+SSE is tried as such when it answers 404 or 405 to initialize.
func TestFallbackToHTTPSSE(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Tools: twoTools, PageSize: 1})
	transcript := newRig().probe(t, Target{URL: server.URL, Declared: []wire.Transport{wire.StreamableHTTP}})
	wantSteps(t, transcript, strings.Split("modern discover 404|legacy initialize 404|legacy open_stream 200 open|"+strings.ReplaceAll(sseSteps, "on1", "on3"), "|")...)
}

// Declared as HTTP+SSE, and not: streamable HTTP is tried behind that.
func TestHTTPSSEDeclaredWrongly(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{})
	wantSteps(t, newRig().probe(t, Target{URL: server.URL, Declared: declaredSSE}),
		"legacy open_stream 405", "modern discover 400", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200", "legacy unknown_tool 200")
}

func TestNoFallbackToHTTPSSE(t *testing.T) {
	t.Parallel()
	modernError := `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`
	for name, reply := range map[string]probertest.Reply{
		"401": probertest.StatusReply(401), "403": probertest.StatusReply(403), "406": probertest.StatusReply(406), "421": probertest.StatusReply(421),
		"500": probertest.StatusReply(500), "503": probertest.StatusReply(503), "200": probertest.HTMLReply(200),
		"400 with a modern error": probertest.JSONReply(400, modernError), "404 with a pause": probertest.StatusReply(404, "Retry-After", "5"),
	} {
		server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "any", Reply: reply}}})
		if n := len(exchangesOf(newRig().probe(t, Target{URL: server.URL}), wire.StepOpenStream)); n != 0 {
			t.Errorf("%s leads to HTTP+SSE", name)
		}
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	streamable := "|modern discover 404|legacy initialize 404"
	for name, c := range map[string]struct {
		data, steps string
		then        probertest.After
	}{
		"other origin":   {"event: endpoint\ndata: http://127.0.0.1:1/messages\n\n", "legacy open_stream 200 policy.endpoint|modern discover 404", probertest.HoldOpen},
		"other scheme":   {"event: endpoint\ndata: //evil.example.org/collect\n\n", "legacy open_stream 200 policy.endpoint|modern discover 404", probertest.HoldOpen},
		"encoded":        {"event: endpoint\ndata: http%3A//127.0.0.1%3A8000/messages/?session_id=abc\n\n", "legacy open_stream 200 policy.endpoint|modern discover 404", probertest.HoldOpen},
		"json":           {"event: endpoint\ndata: {\"uri\":\"/messages\"}\n\n", "legacy open_stream 200 policy.endpoint|modern discover 404", probertest.HoldOpen},
		"never":          {": hi\n\n", "legacy open_stream 200 http.timeout_body" + streamable, probertest.HoldOpen},
		"never, and end": {": hi\n\n", "legacy open_stream 200 stream.ended" + streamable, probertest.Finish},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Steps: []probertest.Step{{On: "GET", Reply: probertest.StreamReply(c.data, c.then)}}})
			wantSteps(t, newRig().quick().probe(t, Target{URL: server.URL, Declared: declaredSSE}), strings.Split(c.steps, "|")...)
			for _, r := range server.Log() {
				if r.HTTPMethod == http.MethodPost && strings.HasPrefix(r.Path, "/messages") {
					t.Errorf("posted to %s", r.Path)
				}
			}
		})
	}
}

// A few servers answer in the POST; a second endpoint event is ignored.
func TestAnswerInPost(t *testing.T) {
	t.Parallel()
	events := "event: endpoint\ndata: messages?sessionId=abc\n\nevent: endpoint\ndata: https://evil.example.org/collect\n\n"
	server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Tools: twoTools, Steps: []probertest.Step{
		{On: "GET", Reply: probertest.StreamReply(events, probertest.HoldOpen)},
		{On: "notifications/initialized", Reply: probertest.StatusReply(202)},
		{On: "POST", Reply: probertest.JSONReply(200, "{{answer}}")},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL, Declared: declaredSSE})
	wantSteps(t, transcript, "legacy open_stream 200 open", "legacy initialize 200 on1", "legacy initialized 202", "legacy list_tools p1 200 on1", "legacy unknown_tool 200 on1",
		"modern discover 200")
	if a := transcript.Answer(2); a.Via != wire.ViaBody {
		t.Errorf("found via %q", a.Via)
	}
}

func TestHTTPSSEStreamEnds(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Steps: []probertest.Step{
		{On: "GET", Reply: probertest.StreamReply("event: endpoint\ndata: /messages?sessionId=abc\n\n", probertest.Finish)},
		{On: "POST", Path: "/messages", Reply: probertest.StatusReply(202)},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL, Declared: declaredSSE})
	wantSteps(t, transcript, "legacy open_stream 200", "legacy initialize 202 stream.ended on1", "modern discover 404")
}

// A ping on the stream is answered, other requests are refused, and only so many.
func TestRequestsOfTheServer(t *testing.T) {
	t.Parallel()
	ping := `data: {"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n\n"
	roots := `data: {"jsonrpc":"2.0","id":7,"method":"roots/list"}` + "\n\n"
	answer := "data: {{answer}}\n\n"
	server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Steps: []probertest.Step{
		{On: "tools/list", Reply: probertest.StreamReply(ping+roots+answer, probertest.Finish)},
		{On: "tools/call", Reply: probertest.StreamReply(ping+ping+ping+ping+answer, probertest.Finish)},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL})
	replies := exchangesOf(transcript, wire.StepServerReply)
	if len(replies) != 4 {
		t.Fatalf("%d replies, want 4:\n%s", len(replies), steps(transcript))
	}
	for i, want := range []string{`{"jsonrpc":"2.0","id":"p","result":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`} {
		if got := string(replies[i].RequestBody); got != want {
			t.Errorf("replied %s, want %s", got, want)
		}
		if id, _ := replies[i].RequestHeader.Get("Mcp-Session-Id"); id == "" {
			t.Error("a reply without the session")
		}
	}
	modern := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern}, Steps: []probertest.Step{{On: "tools/list", Reply: probertest.StreamReply(ping+answer, probertest.Finish)}}})
	if n := len(exchangesOf(newRig().probe(t, Target{URL: modern.URL}), wire.StepServerReply)); n != 0 {
		t.Errorf("%d replies in the modern era, which has no requests of the server", n)
	}
}

func TestPingOverHTTPSSE(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Transports: declaredSSE, Steps: []probertest.Step{
		{On: "tools/list", Reply: probertest.Reply{Status: 202, Push: "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\ndata: {{answer}}\n\n"}},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL, Declared: declaredSSE})
	wantSteps(t, transcript, "legacy open_stream 200 open", "legacy initialize 202 on1", "legacy initialized 202",
		"legacy list_tools p1 202 on1", "legacy server_reply 202", "legacy unknown_tool 202 on1", "modern discover 404")
}

func TestResume(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Form: probertest.ResumedStream})
	r := newRig()
	transcript := r.probe(t, Target{URL: server.URL})
	wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202",
		"legacy list_tools p1 200 on5", "legacy open_stream 200", "legacy unknown_tool 200 on7", "legacy open_stream 200", "legacy delete 200")
	if id, _ := transcript.Exchanges[4].RequestHeader.Get("Last-Event-ID"); id == "" {
		t.Error("no Last-Event-ID")
	}
	if a := transcript.Answer(4); a.Message == nil || a.Via != wire.ViaStream {
		t.Errorf("no answer on the resumed stream: %+v", a)
	}
	if len(r.slept) != 2 || r.slept[0] != time.Millisecond {
		t.Errorf("slept %v, want the retry time twice", r.slept)
	}
}

func TestResumeIsBounded(t *testing.T) {
	t.Parallel()
	begun := probertest.StreamReply("id: 1\nretry: 3600000\ndata:\n\n", probertest.Finish)
	server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "tools/list", Reply: begun}, {On: "GET", Reply: begun}}})
	r := newRig()
	transcript := r.probe(t, Target{URL: server.URL})
	wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200 stream.ended",
		"legacy open_stream 200 stream.ended", "legacy open_stream 200 stream.ended", "legacy unknown_tool 200")
	if len(r.slept) != 2 || r.slept[0] != 10*time.Second {
		t.Errorf("slept %v, want the cap twice", r.slept)
	}
}

func TestRestIsSpread(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Form: probertest.ResumedStream})
	r := newRig()
	r.Random = func() float64 { return 0.5 }
	r.probe(t, Target{URL: server.URL})
	if len(r.slept) != 2 || r.slept[0] != 1125*time.Microsecond {
		t.Errorf("slept %v, want the retry time and an eighth, twice", r.slept)
	}
}

// A request is accepted and nothing more; the answer waits on a GET stream.
func TestAnswerOnGetStream(t *testing.T) {
	t.Parallel()
	for _, status := range []int{202, 204, 200} {
		server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Steps: []probertest.Step{
			{On: "tools/list", Reply: probertest.StatusReply(status)},
			{On: "GET", Reply: probertest.StreamReply(`data: {"jsonrpc":"2.0","id":201,"result":{"tools":[{"name":"a","inputSchema":{}}]}}`+"\n\n", probertest.HoldOpen)},
		}})
		r := newRig()
		transcript := r.probe(t, Target{URL: server.URL})
		wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202",
			"legacy list_tools p1 "+strconv.Itoa(status)+" on5", "legacy open_stream 200 open", "legacy unknown_tool 200", "legacy delete 200")
		if a := transcript.Answer(4); a.Message == nil || a.Message.Type != wire.TypeResult {
			t.Errorf("no answer: %+v", a)
		}
	}
}

// The answer goes to the GET stream only while that is open: the list is asked for again, the call is not, since its
// answer arrives there at once.
func TestAnswerOnlyOnOpenGetStream(t *testing.T) {
	t.Parallel()
	pushes := make(chan string, 4)
	var open atomic.Bool
	ordinary := probertest.New(probertest.Server{Sessions: true, Tools: twoTools})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case r.Method == http.MethodGet:
			open.Store(true)
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if err := http.NewResponseController(w).Flush(); err != nil {
					return
				}
				select {
				case push := <-pushes:
					_, _ = io.WriteString(w, push)
				case <-r.Context().Done():
					return
				}
			}
		case bytes.Contains(body, []byte(`"tools/`)):
			if open.Load() {
				id, _, _ := strings.Cut(strings.TrimPrefix(string(body), `{"jsonrpc":"2.0","id":`), ",")
				pushes <- `data: {"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[]}}` + "\n\n"
			}
			w.Header().Set("Content-Type", "text/event-stream")
		default:
			ordinary.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	r := newRig()
	r.Limits.Listen = 500 * time.Millisecond
	wantSteps(t, r.probe(t, Target{URL: server.URL}), "modern discover 400", "legacy initialize 200", "legacy initialized 202",
		"legacy list_tools p1 200 stream.ended", "legacy open_stream 200 open", "legacy list_tools p1 try2 200 on5",
		"legacy unknown_tool 200 on5", "legacy delete 200")
}

func TestNoGetStream(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{{On: "tools/list", Reply: probertest.StatusReply(202)}, {On: "tools/call", Reply: probertest.StatusReply(202)}}})
	wantSteps(t, newRig().probe(t, Target{URL: server.URL}), "modern discover 400", "legacy initialize 200", "legacy initialized 202",
		"legacy list_tools p1 202", "legacy open_stream 405", "legacy unknown_tool 202")
}

// A JSON body that never ends behind the answer.
func TestBodyLeftOpen(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Tools: twoTools, Steps: []probertest.Step{{On: "tools/list", Reply: probertest.Reply{
		Header: []wire.Field{{Name: "Content-Type", Value: "application/json"}}, Body: "{{answer}}", Then: probertest.HoldOpen}}}})
	r := newRig()
	r.Limits.Linger = 20 * time.Millisecond
	transcript := r.probe(t, Target{URL: server.URL})
	wantSteps(t, transcript, "modern discover 400", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200 open", "legacy unknown_tool 200")
}

// A redirect to another host does not take the session along; one on the same host does.
func TestSessionStaysWithItsHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ to, session string }{{"b.example.com", ""}, {"a.example.com", "session-1"}} {
		seen := make(chan string, 1)
		ordinary := probertest.New(probertest.Server{Sessions: true, Path: "/mcp"})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch _, port, _ := strings.Cut(r.Host, ":"); {
			case r.URL.Path == "/moved":
				seen <- r.Header.Get("Mcp-Session-Id")
				w.WriteHeader(http.StatusForbidden)
			case r.Method == http.MethodPost && r.ContentLength > 0 && r.Header.Get("Mcp-Session-Id") != "":
				http.Redirect(w, r, "http://"+c.to+":"+port+"/moved", http.StatusTemporaryRedirect)
			default:
				ordinary.ServeHTTP(w, r)
			}
		}))
		defer server.Close()
		r := newRig()
		r.Resolver = dial.NewResolver(func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		})
		transcript := r.probe(t, Target{URL: strings.Replace(server.URL, "127.0.0.1", "a.example.com", 1) + "/mcp"})
		if got := <-seen; got != c.session {
			t.Errorf("%s gets the session %q, want %q:\n%s", c.to, got, c.session, steps(transcript))
		}
	}
}
