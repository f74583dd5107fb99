package probertest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reply is what a test saw.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends one request with the headers that a client must send, changed by fields (name, value; "" removes).
func do(t *testing.T, method, url, body string, fields ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
		if fields[i+1] == "" {
			req.Header.Del(fields[i])
		}
	}
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

// message is a decoded response.
type message struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code int
		Data json.RawMessage
	}
}

func (r reply) message(t *testing.T) message {
	t.Helper()
	body := r.body
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		events := strings.Split(strings.TrimSpace(body), "\n\n")
		_, body, _ = strings.Cut(events[len(events)-1], "data: ")
	}
	var m message
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("status %d: %v in %q", r.status, err, r.body)
	}
	return m
}

func (r reply) code(t *testing.T) int {
	t.Helper()
	m := r.message(t)
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

const (
	metaJSON       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	legacyList     = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`
	legacyCall     = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such","arguments":{}}}`
	initialized    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// modern sends a modern request; params without _meta.
func modern(t *testing.T, url, method, params string, fields ...string) reply {
	t.Helper()
	if params != "" {
		params += ","
	}
	body := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + metaJSON + `}}`
	return do(t, http.MethodPost, url, body,
		append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, fields...)...)
}

// openSSE opens the stream and returns the message URL and a function that reads the next event's data.
func openSSE(t *testing.T, origin string) (string, func() string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return ""
	}
	return origin + next(), next
}
