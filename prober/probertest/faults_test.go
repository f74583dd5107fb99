package probertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestEveryFaultHasItsOwnName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range Faults() {
		if seen[f.Name] || f.Name == "" {
			t.Errorf("the name %q is taken", f.Name)
		}
		seen[f.Name] = true
	}
}

// TestFaultsDiffer: what a client sees of a fault is not what it sees of a good server, in at least one request.
func TestFaultsDiffer(t *testing.T) {
	t.Parallel()
	tools := Server{Sessions: true, Tools: fiveTools}
	good := transcript(t, tools)
	sse := Server{Transports: []wire.Transport{wire.HTTPSSE}}
	for _, f := range Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			bad := tools.WithFault(f.Name)
			want := good
			if strings.HasPrefix(f.Name, "endpoint_") {
				bad, want = sse.WithFault(f.Name), transcript(t, sse)
			}
			if got := transcript(t, bad); got == want {
				t.Errorf("a client sees nothing of it: %s", got)
			}
		})
	}
}

// transcript has the first bytes of the answers to a fixed sequence of requests, failures by kind.
func transcript(t *testing.T, s Server) string {
	running := Start(t, s)
	var seen strings.Builder
	session := ""
	for _, step := range []struct{ method, body string }{
		{"GET", ""}, {"POST", initializeBody}, {"POST", initialized}, {"POST", legacyList}, {"POST", legacyCall},
	} {
		status, header, head := glimpse(t, step.method, running.URL, step.body, session)
		if id := header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		seen.WriteString(strings.ReplaceAll(strings.ReplaceAll(
			status+" "+header.Get("Location")+" "+header.Get("Www-Authenticate")+" "+head, running.Origin, "ORIGIN"), session, "SESSION") + "\n")
	}
	return seen.String()
}

// glimpse reads at most 600 bytes and waits for them no longer than the server shows that it has nothing more to say.
func glimpse(t *testing.T, method, url, body, session string) (string, http.Header, string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ResponseHeaderTimeout: patience},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "no answer", http.Header{}, ""
	}
	defer res.Body.Close()
	stop := afterPatience(cancel)
	defer stop()
	head, err := io.ReadAll(io.LimitReader(res.Body, 600))
	end := "closed"
	switch {
	case errors.Is(err, context.Canceled):
		end = "open"
	case err != nil:
		end = "cut"
	}
	return res.Status + " " + end, res.Header, string(head)
}

func TestMechanisms(t *testing.T) {
	t.Parallel()
	for _, m := range Mechanisms() {
		if m.Class == "" {
			t.Errorf("no class: %+v", m)
		}
		if m.Reply != nil && (m.Reply.Hang || m.Reply.Hijack) {
			continue
		}
		for _, era := range []string{"2025-11-25", "2026-07-28"} {
			s := Start(t, Server{Revisions: []string{era}, UnknownTool: m})
			var r reply
			if era == "2025-11-25" {
				r = do(t, "POST", s.URL, legacyCall)
			} else {
				r = modern(t, s.URL, "tools/call", `"name":"no_such"`, "Mcp-Name", "no_such")
			}
			switch {
			case m.Reply != nil:
				if r.status != m.Reply.Status {
					t.Errorf("%s: %d %s", m.Class, r.status, r.body)
				}
			case m.Failure != "":
				if got := codeClass(r.code(t)); r.message(t).Error == nil || got != m.Class || r.status != orOK(m.Status) {
					t.Errorf("%s: %d %s", m.Class, r.status, r.body)
				}
			case r.message(t).Error != nil || r.status != 200:
				t.Errorf("%s: %d %s", m.Class, r.status, r.body)
			}
			if strings.Contains(r.body, "{{") {
				t.Errorf("%s: a template is left in %s", m.Class, r.body)
			}
		}
	}
}

func TestStepTemplatesAndCoding(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Sessions: true, Steps: []Step{
		{On: "initialize", Nth: 2, Reply: Reply{Encode: "gzip", Body: `{{id}} {{params.protocolVersion}} {{answer}} {{conforming_result}}`}},
		{On: "tools/call", Path: "/mcp", Reply: Reply{Status: 418, Header: []wire.Field{{Name: "Location", Value: "{{origin}}/x"}},
			Body: "{{tool}}", Repeat: "ab", Count: 20000, Chunks: []string{"!"}}},
	}})
	if r := do(t, "POST", s.URL, initializeBody); r.header.Get("Mcp-Session-Id") == "" {
		t.Errorf("the first initialize is answered in order: %+v", r)
	}
	r := do(t, "POST", s.URL, initializeBody, "Accept-Encoding", "gzip")
	z, err := gzip.NewReader(bytes.NewReader([]byte(r.body)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || !strings.HasPrefix(string(plain), `1 2025-11-25 {"jsonrpc":"2.0","id":1,"result":{"protocolVersion"`) {
		t.Errorf("%s, %v", plain, err)
	}
	r = do(t, "POST", s.URL, legacyCall)
	if r.status != 418 || r.header.Get("Location") != s.Origin+"/x" || r.body != "no_such"+strings.Repeat("ab", 20000)+"!" {
		t.Errorf("%d %v, %d bytes", r.status, r.header, len(r.body))
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Tools: fiveTools})
	do(t, "POST", s.URL, `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{"cursor":"c"}}`)
	do(t, "POST", s.URL, legacyCall)
	modern(t, s.URL, "server/discover", "")
	do(t, "DELETE", s.URL, "")
	log := s.Log()
	if got := strings.Join(s.Methods(), " "); got != "tools/list tools/call server/discover DELETE" {
		t.Fatalf("log has %s", got)
	}
	if r := log[0]; string(r.ID) != `"x"` || string(r.Cursor) != `"c"` || r.Seq != 1 || r.Era != wire.Legacy || r.Status != 200 || r.Ended.Before(r.Started) {
		t.Errorf("%+v", r)
	}
	if log[2].Era != wire.Modern || log[3].Status != 405 {
		t.Errorf("%+v %+v", log[2], log[3])
	}
	if calls := s.Calls(); len(calls) != 1 || calls[0] != "no_such" {
		t.Errorf("calls %q", calls)
	}
	if opened, most := s.Connections(); opened != 4 || most < 1 {
		t.Errorf("%d connections, %d at a time", opened, most)
	}
}

func TestConcurrencyIsSeen(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Steps: []Step{{On: "ping", Reply: Reply{Hang: true}}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, _ := http.NewRequestWithContext(ctx, "POST", s.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if _, err := http.DefaultClient.Do(req); err == nil {
			t.Error("the hanging request was answered")
		}
	}()
	for len(s.Log()) == 0 { // until the first is in
		<-tick()
	}
	do(t, "POST", s.URL, legacyList)
	cancel()
	<-done
	if s.MaxConcurrent() != 2 {
		t.Errorf("at most %d at a time", s.MaxConcurrent())
	}
}
