//go:build unix

package peer_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/probertest/peer"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// conversation is a minimal client that a family is checked with.
type conversation struct {
	t       *testing.T
	url     string   // where messages go
	headers []string // pairs, with every message
	events  *bufio.Scanner
}

// answer is the status and the JSON-RPC message that came back.
type answer struct {
	status int
	header http.Header
	Result json.RawMessage
	Error  *struct{ Code int }
}

func (c *conversation) post(method, params string, headers ...string) answer {
	c.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
	if strings.HasPrefix(method, "notifications/") {
		body = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method)
	}
	status, header, data := c.send(http.MethodPost, body, headers...)
	a := answer{status: status, header: header}
	if c.events != nil && status == http.StatusAccepted && !strings.HasPrefix(method, "notifications/") {
		data = c.event()
	}
	if strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		data = lastEvent(data)
	}
	_ = json.Unmarshal([]byte(data), &a) // what is no message has neither result nor error
	return a
}

func (c *conversation) send(method, body string, headers ...string) (int, http.Header, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, pairs := range [][]string{c.headers, headers} {
		for i := 0; i < len(pairs); i += 2 {
			req.Header.Set(pairs[i], pairs[i+1])
		}
	}
	res, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

func lastEvent(stream string) string {
	last := ""
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			last = data
		}
	}
	return last
}

// event waits for the next response on the stream.
func (c *conversation) event() string {
	c.t.Helper()
	for c.events.Scan() {
		data, ok := strings.CutPrefix(c.events.Text(), "data: ")
		if ok && !strings.Contains(data, `"method":`) {
			return data
		}
	}
	c.t.Fatalf("the stream ended: %v", c.events.Err())
	return ""
}

// open starts a conversation; over HTTP+SSE it opens the stream.
func open(t *testing.T, running peer.Running) *conversation {
	t.Helper()
	c := &conversation{t: t, url: running.URL}
	if running.Transport != wire.HTTPSSE {
		return c
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("GET: %s", res.Status)
	}
	c.events = bufio.NewScanner(res.Body)
	c.url = strings.TrimSuffix(running.URL, running.Path) + c.event()
	return c
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	for _, family := range peer.Families() {
		t.Run(string(family.Name), func(t *testing.T) {
			t.Parallel()
			running := peer.Start(t, family.Name)
			t.Run("legacy", func(t *testing.T) { checkLegacy(t, running) })
			if family.Transport == wire.StreamableHTTP {
				t.Run("modern", func(t *testing.T) { checkModern(t, running) })
			}
		})
	}
}

func checkLegacy(t *testing.T, f peer.Running) {
	c := open(t, f)
	hello := c.post("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
	var result struct{ ProtocolVersion string }
	if err := json.Unmarshal(hello.Result, &result); err != nil || result.ProtocolVersion != f.Revision {
		t.Fatalf("initialize: status %d, %s, want revision %s", hello.status, hello.Result, f.Revision)
	}
	session := hello.header.Get("Mcp-Session-Id")
	if (session != "") != f.Sessions {
		t.Errorf("session %q, want one: %t", session, f.Sessions)
	}
	if f.Transport == wire.StreamableHTTP {
		c.headers = []string{"Mcp-Protocol-Version", f.Revision}
		if session != "" {
			c.headers = append(c.headers, "Mcp-Session-Id", session)
		}
	}
	if a := c.post("notifications/initialized", ""); a.status != http.StatusAccepted {
		t.Errorf("notification: status %d", a.status)
	}
	checkTools(t, f, c.post("tools/list", ""))
	call := c.post("tools/call", `"name":"no_such_tool_0a1b2c3d","arguments":{}`)
	if f.Transport == wire.HTTPSSE {
		call.status = http.StatusOK // that of the message; the POST has 202
	}
	checkUnknownTool(t, f.UnknownTool[wire.Legacy], call)
	if f.Transport == wire.StreamableHTTP {
		if status, _, _ := c.send(http.MethodDelete, ""); status != f.DeleteStatus {
			t.Errorf("DELETE: status %d, want %d", status, f.DeleteStatus)
		}
	}
}

func checkModern(t *testing.T, f peer.Running) {
	c := &conversation{t: t, url: f.URL, headers: []string{"Mcp-Protocol-Version", "2026-07-28"}}
	discover := c.post("server/discover", meta, "Mcp-Method", "server/discover")
	var result struct{ SupportedVersions []string }
	_ = json.Unmarshal(discover.Result, &result) // without a result there are no versions
	if modern := slices.Contains(result.SupportedVersions, "2026-07-28"); modern != f.Modern {
		t.Errorf("discover: status %d, %s, want modern: %t", discover.status, discover.Result, f.Modern)
	}
	if answered := len(result.SupportedVersions) > 0; answered != (f.Modern || f.DiscoverOnLegacy) {
		t.Errorf("discover: status %d, versions %q", discover.status, result.SupportedVersions)
	}
	if !f.Modern {
		if discover.Error != nil && (discover.status != http.StatusBadRequest || discover.Error.Code != -32000) {
			t.Errorf("discover: status %d, code %d", discover.status, discover.Error.Code)
		}
		return
	}
	checkTools(t, f, c.post("tools/list", meta, "Mcp-Method", "tools/list"))
	checkUnknownTool(t, f.UnknownTool[wire.Modern], c.post("tools/call", `"name":"no_such_tool_0a1b2c3d","arguments":{},`+meta,
		"Mcp-Method", "tools/call", "Mcp-Name", "no_such_tool_0a1b2c3d"))
}

func checkTools(t *testing.T, f peer.Running, a answer) {
	t.Helper()
	var result struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatalf("tools/list: status %d: %v", a.status, err)
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
		if !f.OwnTools && (tool.OutputSchema != nil) != (tool.Name == "add_numbers") {
			t.Errorf("tool %s has the outputSchema %s", tool.Name, tool.OutputSchema)
		}
	}
	slices.Sort(names)
	if f.OwnTools && len(names) < 5 || !f.OwnTools && !slices.Equal(names, peer.ToolNames()) {
		t.Errorf("tools %q", names)
	}
}

func checkUnknownTool(t *testing.T, want peer.UnknownTool, a answer) {
	t.Helper()
	var result struct{ IsError bool }
	_ = json.Unmarshal(a.Result, &result) // without a result it is an error
	label := "other"
	switch {
	case a.Error != nil:
		label = fmt.Sprintf("protocol_%d", a.Error.Code)
	case result.IsError:
		label = "tool_error"
	}
	if label != want.Label || a.status != want.Status {
		t.Errorf("unknown tool: %s with status %d, want %s with %d", label, a.status, want.Label, want.Status)
	}
}
