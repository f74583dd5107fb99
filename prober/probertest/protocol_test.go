package probertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

var fiveTools = []Tool{{Name: "get_a"}, {Name: "get_b"}, {Name: "create_c", OutputSchema: `{"type":"object"}`},
	{Name: "d", Annotations: `{"readOnlyHint":false}`}, {Name: "e"}}

func TestLegacySession(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Sessions: true, Tools: fiveTools, PageSize: 2})
	opened := do(t, "POST", s.URL, initializeBody)
	session := opened.header.Get("Mcp-Session-Id")
	if opened.status != 200 || session != "session-1" {
		t.Fatalf("initialize: %d, session %q", opened.status, session)
	}
	with := []string{"Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25"}
	if r := do(t, "POST", s.URL, initialized, with...); r.status != 202 || r.body != "" {
		t.Errorf("notification: %d %q", r.status, r.body)
	}
	if r := do(t, "POST", s.URL, legacyList); r.status != 400 || r.code(t) != -32000 {
		t.Errorf("without a session: %d %s", r.status, r.body)
	}
	if r := do(t, "POST", s.URL, legacyList, append(with, "Mcp-Protocol-Version", "1900-01-01")...); r.status != 400 {
		t.Errorf("unknown version: %d %s", r.status, r.body)
	}
	var names []string
	cursor := ""
	for range 3 {
		var page struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
		r := do(t, "POST", s.URL, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+cursor+`}}`, with...)
		if err := json.Unmarshal(r.message(t).Result, &page); err != nil {
			t.Fatal(err)
		}
		for _, tool := range page.Tools {
			names = append(names, tool.Name)
		}
		cursor = `"cursor":` + quote(page.NextCursor)
	}
	if got := strings.Join(names, " "); got != "get_a get_b create_c d e" {
		t.Errorf("pages gave %s", got)
	}
	if r := do(t, "POST", s.URL, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}`, with...); r.code(t) != -32602 {
		t.Errorf("unknown cursor: %s", r.body)
	}
	if r := do(t, "POST", s.URL, `{"jsonrpc":"2.0","id":2,"method":"foo"}`, with...); r.status != 200 || r.code(t) != -32601 {
		t.Errorf("unknown method: %d %s", r.status, r.body)
	}
	if s.OpenSessions() != 1 {
		t.Errorf("%d sessions open", s.OpenSessions())
	}
	if r := do(t, "DELETE", s.URL, "", with...); r.status != 200 || s.OpenSessions() != 0 {
		t.Errorf("DELETE: %d, %d sessions left", r.status, s.OpenSessions())
	}
	if r := do(t, "POST", s.URL, legacyList, with...); r.status != 404 || r.code(t) != -32001 {
		t.Errorf("after DELETE: %d %s", r.status, r.body)
	}
	if r := do(t, "GET", s.URL, "", "Accept", "text/event-stream"); r.status != 405 {
		t.Errorf("GET: %d", r.status)
	}
}

func TestLegacyNegotiation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		server      Server
		asked, want string
	}{
		{Server{}, "2025-11-25", "2025-11-25"},
		{Server{}, "2099-01-01", "2025-11-25"},
		{Server{Revisions: []string{"2025-06-18", "2024-11-05"}}, "2024-11-05", "2024-11-05"},
		{Server{Revisions: []string{"2025-06-18", "2024-11-05"}}, "2025-11-25", "2025-06-18"},
		{Server{Negotiated: "2030-01-01"}, "2025-11-25", "2030-01-01"},
	} {
		s := Start(t, test.server)
		r := do(t, "POST", s.URL, strings.ReplaceAll(initializeBody, "2025-11-25", test.asked))
		if !strings.Contains(r.body, `"protocolVersion":"`+test.want+`"`) {
			t.Errorf("asked %s: %s, want %s", test.asked, r.body, test.want)
		}
	}
}

func TestModernRules(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Revisions: []string{"2026-07-28"}, Tools: fiveTools})
	discover := modern(t, s.URL, "server/discover", "")
	if discover.status != 200 || !strings.Contains(discover.body, `"supportedVersions":["2026-07-28"]`) {
		t.Errorf("discover: %d %s", discover.status, discover.body)
	}
	for name, test := range map[string]struct {
		got          reply
		status, code int
	}{
		"list":             {modern(t, s.URL, "tools/list", ""), 200, 0},
		"unknown tool":     {modern(t, s.URL, "tools/call", `"name":"no_such"`, "Mcp-Name", "no_such"), 200, -32602},
		"encoded name":     {modern(t, s.URL, "tools/call", `"name":"e"`, "Mcp-Name", "=?base64?ZQ==?="), 200, 0},
		"unknown cursor":   {modern(t, s.URL, "tools/list", `"cursor":"x"`), 400, -32602},
		"unknown method":   {modern(t, s.URL, "foo", ""), 404, -32601},
		"no Mcp-Name":      {modern(t, s.URL, "tools/call", `"name":"no_such"`), 400, -32020},
		"other Mcp-Method": {modern(t, s.URL, "tools/list", "", "Mcp-Method", "tools/call"), 400, -32020},
		"other version":    {modern(t, s.URL, "tools/list", "", "Mcp-Protocol-Version", "2025-11-25"), 400, -32020},
		"no version":       {modern(t, s.URL, "tools/list", "", "Mcp-Protocol-Version", ""), 400, -32020},
		"no _meta":         {do(t, "POST", s.URL, legacyList, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"), 400, -32602},
		"unknown version": {do(t, "POST", s.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+
			strings.ReplaceAll(metaJSON, "2026-07-28", "1900-01-01")+`}}`, "Mcp-Protocol-Version", "1900-01-01", "Mcp-Method", "tools/list"), 400, -32022},
		"initialize": {do(t, "POST", s.URL, initializeBody), 400, -32022},
	} {
		if test.got.status != test.status || test.got.code(t) != test.code {
			t.Errorf("%s: %d %s, want %d and %d", name, test.got.status, test.got.body, test.status, test.code)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if r := do(t, method, s.URL, ""); r.status != 405 {
			t.Errorf("%s: %d", method, r.status)
		}
	}
	list := modern(t, s.URL, "tools/list", "")
	for _, member := range []string{`"resultType":"complete"`, `"ttlMs":`, `"cacheScope":`} {
		if !strings.Contains(list.body, member) {
			t.Errorf("the list lacks %s: %s", member, list.body)
		}
	}
	if r := do(t, "POST", s.URL, `{"jsonrpc":"2.0","method":"notifications/x"}`); r.status != 202 {
		t.Errorf("notification: %d", r.status)
	}
}

func TestDualEra(t *testing.T) {
	t.Parallel()
	other := UnknownToolError(-32601).With(400)
	s := Start(t, Server{Revisions: []string{"2026-07-28", "2025-11-25"}, Supported: []string{"2026-07-28"}, ModernUnknownTool: &other})
	if r := modern(t, s.URL, "server/discover", ""); r.status != 200 || strings.Contains(r.body, "2025-11-25") {
		t.Errorf("discover: %d %s", r.status, r.body)
	}
	if r := do(t, "POST", s.URL, initializeBody); r.status != 200 || r.code(t) != 0 {
		t.Errorf("initialize: %d %s", r.status, r.body)
	}
	if r := do(t, "POST", s.URL, legacyCall); r.status != 200 || r.code(t) != -32602 {
		t.Errorf("legacy call: %d %s", r.status, r.body)
	}
	if r := modern(t, s.URL, "tools/call", `"name":"x"`, "Mcp-Name", "x"); r.status != 400 || r.code(t) != -32601 {
		t.Errorf("modern call: %d %s", r.status, r.body)
	}
}

func TestModernRequestAtLegacyServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server       Server
		method       string
		status, code int
	}{
		"stateless":         {Server{}, "server/discover", 400, -32000},
		"stateful":          {Server{Sessions: true}, "server/discover", 400, -32000},
		"discover answered": {Server{DiscoverOnLegacy: true}, "server/discover", 200, 0},
		"list refused":      {Server{DiscoverOnLegacy: true}, "tools/list", 400, -32022},
	} {
		if r := modern(t, Start(t, test.server).URL, test.method, ""); r.status != test.status || r.code(t) != test.code {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestHTTPSSE(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{Transports: []wire.Transport{wire.HTTPSSE}, Tools: fiveTools})
	if r := do(t, "POST", s.URL, initializeBody); r.status != 404 {
		t.Errorf("POST to the stream: %d", r.status)
	}
	messages, next := openSSE(t, s.Origin)
	for _, body := range []string{initializeBody, initialized, legacyList, legacyCall} {
		if r := do(t, "POST", messages, body); r.status != http.StatusAccepted {
			t.Fatalf("POST: %d %s", r.status, r.body)
		}
	}
	for _, want := range []string{"protocolVersion", "create_c", "-32602"} {
		if got := next(); !strings.Contains(got, want) {
			t.Errorf("event %s, want %s", got, want)
		}
	}
	if r := do(t, "POST", s.Origin+"/messages?sessionId=other", legacyList); r.status != 404 {
		t.Errorf("unknown session: %d", r.status)
	}
	if s.OpenStreams() != 1 || s.MaxStreams() != 1 || s.MaxConcurrent() != 1 {
		t.Errorf("streams %d, at most %d, requests %d", s.OpenStreams(), s.MaxStreams(), s.MaxConcurrent())
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Stream, NoisyStream} {
		s := Start(t, Server{Form: form, Tools: fiveTools})
		r := do(t, "POST", s.URL, legacyList)
		if r.header.Get("Content-Type") != "text/event-stream" || !strings.Contains(string(r.message(t).Result), "create_c") {
			t.Errorf("form %d: %s", form, r.body)
		}
		if strings.Contains(r.body, `"method":"ping"`) != (form == NoisyStream) {
			t.Errorf("form %d: %s", form, r.body)
		}
	}
	s := Start(t, Server{Form: ResumedStream, Tools: fiveTools})
	first := do(t, "POST", s.URL, legacyList)
	if strings.Contains(first.body, "create_c") || !strings.Contains(first.body, "id: event-1\n") {
		t.Fatalf("first part: %q", first.body)
	}
	rest := do(t, "GET", s.URL, "", "Accept", "text/event-stream", "Last-Event-ID", "event-1")
	if rest.status != 200 || !strings.Contains(rest.body, "create_c") {
		t.Errorf("second part: %d %q", rest.status, rest.body)
	}
}

func TestFrameChecks(t *testing.T) {
	t.Parallel()
	s := Start(t, Server{})
	for name, test := range map[string]struct {
		body   string
		fields []string
		status int
	}{
		"no content type": {legacyList, []string{"Content-Type", "text/plain"}, 415},
		"one accept type": {legacyList, []string{"Accept", "application/json"}, 406},
		"no JSON":         {`{"jsonrpc"`, nil, 400},
		"batch":           {`[` + legacyList + `]`, nil, 400},
	} {
		if r := do(t, "POST", s.URL, test.body, test.fields...); r.status != test.status || r.code(t) == 0 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}
