package main

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/check"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func goodServer(revisions ...string) probertest.Server {
	return probertest.Server{
		Revisions: revisions,
		Tools: []probertest.Tool{
			{Name: "add", InputSchema: `{"type":"object","properties":{"a":{"type":"number"}}}`, OutputSchema: `{"type":"object"}`,
				Result: `{"content":[],"structuredContent":{}}`},
			{Name: "echo"},
		},
	}
}

// Every kind of good server passes, whatever its mechanism; the mechanism is told for each era.
func TestCheckGoodServers(t *testing.T) {
	t.Parallel()
	modernMechanism := probertest.UnknownToolError(-32602).With(400)
	dual := goodServer(wire.OfferModern, wire.OfferLegacy)
	dual.UnknownTool, dual.ModernUnknownTool = probertest.WrappedToolResult(), &modernMechanism
	old := goodServer("2024-11-05")
	old.Transports = []wire.Transport{wire.HTTPSSE}
	sessions := goodServer(wire.OfferLegacy)
	sessions.Sessions, sessions.Form, sessions.PageSize = true, probertest.NoisyStream, 1
	sessions.UnknownTool = probertest.UnknownToolError(-32601)
	for _, tc := range []struct {
		name   string
		server probertest.Server
		args   []string
		want   []string
	}{
		{"modern", goodServer(wire.OfferModern), nil, []string{
			"modern        2026-07-28 over streamable-http", "legacy        not spoken", "unknown tool  modern: protocol_-32602",
			"tools         2 tools on 1 page, 1 with an outputSchema",
		}},
		{"legacy with sessions and pages", sessions, nil, []string{
			"legacy        2025-11-25 over streamable-http", "2 tools on 2 pages", "unknown tool  legacy: protocol_-32601, HTTP 200",
		}},
		{"dual", dual, nil, []string{
			"unknown tool  modern: protocol_-32602, HTTP 400", "unknown tool  legacy: tool_error_wrapped_protocol, HTTP 200",
		}},
		{"HTTP+SSE, declared", old, []string{"--transport", "sse"}, []string{"legacy        2024-11-05 over sse"}},
		{"HTTP+SSE, found out", old, nil, []string{"legacy        2024-11-05 over sse"}},
		{"with a call", goodServer(wire.OfferLegacy), []string{"--call", "add", "--arguments", `{"a":1}`}, []string{"nothing broken"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, tc.server)
			code, out, stderr := command(t, append([]string{"check", server.URL}, tc.args...)...)
			if code != exitOK {
				t.Errorf("exit code %d", code)
			}
			for _, want := range append(tc.want, "nothing broken", server.URL) {
				if !strings.Contains(out, want) {
					t.Errorf("does not say %q", want)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", out, stderr)
			}
		})
	}
}

// A broken server is found out, and the rule is named.
func TestCheckBrokenServers(t *testing.T) {
	t.Parallel()
	silent := goodServer(wire.OfferLegacy)
	silent.Tools[0].Result = `{"content":[]}`
	badSchema := goodServer(wire.OfferLegacy)
	badSchema.Tools[1].InputSchema = `{"type":"object","properties":{"n":{"type":"int"}}}`
	for _, tc := range []struct {
		name   string
		server probertest.Server
		args   []string
		rule   string
	}{
		{"an id as text", goodServer(wire.OfferLegacy).WithFault("id_as_string"), nil, "conformance.id_echo"},
		{"no serverInfo", goodServer(wire.OfferLegacy).WithFault("no_server_info"), nil, "conformance.initialize_result"},
		{"no protocolVersion", goodServer(wire.OfferLegacy).WithFault("no_protocol_version"), nil, "conformance.initialize_result"},
		{"tools null", goodServer(wire.OfferLegacy).WithFault("tools_null"), nil, "conformance.tools_list_result"},
		{"null among the tools", goodServer(wire.OfferModern).WithFault("tools_null_entry"), nil, "conformance.tool_entry"},
		{"bytes behind the answer", goodServer(wire.OfferLegacy).WithFault("trailing_bytes"), nil, "conformance.json_text"},
		{"no envelope", goodServer(wire.OfferLegacy).WithFault("no_jsonrpc"), nil, "conformance.jsonrpc_message"},
		{"a type that does not exist", badSchema, nil, "conformance.input_schema_valid"},
		{"no structuredContent", silent, []string{"--call", "add"}, "conformance.structured_content"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := probertest.Start(t, tc.server)
			code, out, stderr := command(t, append([]string{"check", server.URL}, tc.args...)...)
			if code != exitBroken || !strings.Contains(out, "broken:") || !strings.Contains(out, tc.rule+":") {
				t.Errorf("exit code %d, want %d and %s\n%s%s", code, exitBroken, tc.rule, out, stderr)
			}
		})
	}
}

func TestCheckCouldNotTell(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + closed.Addr().String() + "/mcp"
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	answering := func(reply probertest.Reply) string {
		s := goodServer(wire.OfferLegacy)
		s.Steps = []probertest.Step{{On: "any", Reply: reply}}
		return probertest.Start(t, s).URL
	}
	for url, want := range map[string]string{
		dead: "connect.refused",
		answering(probertest.StatusReply(401, "WWW-Authenticate", "Bearer")): "auth_required",
		answering(probertest.HTMLReply(200)):                                 "no_handshake",
		answering(probertest.HTMLReply(503)):                                 "edge_block",
	} {
		code, out, stderr := command(t, "check", url)
		if code != exitUnknown || !strings.Contains(out, "could not tell: ") || !strings.Contains(out, "("+want+")") {
			t.Errorf("exit code %d, want %d and %s\n%s%s", code, exitUnknown, want, out, stderr)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, goodServer(wire.OfferModern))
	code, out, stderr := command(t, "check", server.URL+"?token=sesame", "--json")
	var result check.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, stderr)
	}
	if result.URL != server.URL+"?token=REDACTED" || strings.Contains(out, "sesame") {
		t.Errorf("the secret in the URL is shown: %s", out)
	}
	if result.Verdict != check.OK || result.Server.Tools.Count != 2 || len(result.Broken) != 0 || len(result.Exchanges) < 3 {
		t.Errorf("%+v", result)
	}
}

// Wrong usage says what to do, and never repeats a URL that may hold a password.
func TestCheckUsage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "accepts 1 arg(s), received 0"},
		{[]string{""}, "the URL is empty"},
		{[]string{"example.org/mcp"}, "must begin with https:// or http://"},
		{[]string{"ftp://user:sesame@example.org"}, "must begin with https:// or http://"},
		{[]string{"https:///mcp"}, "has no host"},
		{[]string{"https://example.org:99999/sesame"}, "port"},
		{[]string{"https://{tenant}.example.org/mcp"}, "variables in braces ([tenant])"},
		{[]string{"https://example.org", "--transport", "stdio"}, "choose streamable-http or sse"},
		{[]string{"https://example.org", "--timeout", "0s"}, "--timeout must be above 0"},
		{[]string{"https://example.org", "--arguments", "{}"}, "--arguments needs --call"},
		{[]string{"https://example.org", "--call", "a", "--arguments", "[1]"}, "must be a JSON object"},
		{[]string{"https://example.org", "--nope"}, "see mcpcensus check --help"},
	} {
		code, _, stderr := command(t, append([]string{"check"}, tc.args...)...)
		if code != exitUsage || !strings.Contains(stderr, tc.want) || strings.Contains(stderr, "sesame") {
			t.Errorf("%q: exit code %d, %q; want %d and %q", tc.args, code, stderr, exitUsage, tc.want)
		}
	}
}

// The host that was typed may be private; another one that it leads to may not.
func TestOwnResolver(t *testing.T) {
	t.Parallel()
	if addrs, err := ownResolver("localhost").Resolve(context.Background(), "localhost"); err != nil || len(addrs) == 0 || !addrs[0].IsLoopback() {
		t.Errorf("the host that was typed: %v, %v", addrs, err)
	}
	if addrs, err := ownResolver("example.org").Resolve(context.Background(), "localhost"); err == nil {
		t.Errorf("another host: %v", addrs)
	}
	server := probertest.Start(t, goodServer(wire.OfferLegacy))
	if code, out, stderr := command(t, "check", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)); code != exitOK {
		t.Errorf("localhost: exit code %d\n%s%s", code, out, stderr)
	}
}

// A check is as polite as a visit of the census: it ends its session and calls no tool that exists.
func TestCheckIsPolite(t *testing.T) {
	t.Parallel()
	s := goodServer(wire.OfferLegacy)
	s.Sessions = true
	server := probertest.Start(t, s)
	if code, out, _ := command(t, "check", server.URL); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	deleted := false
	for _, r := range server.Log() {
		deleted = deleted || r.HTTPMethod == "DELETE"
		if r.Tool == "echo" || r.Tool == "add" {
			t.Errorf("a tool that exists was called: %s", r.Tool)
		}
		if agent := r.Header.Get("User-Agent"); !strings.HasPrefix(agent, "mcpcensus/") || !strings.Contains(agent, "(+https://") {
			t.Errorf("User-Agent %q", agent)
		}
	}
	if !deleted {
		t.Error("the session was not deleted")
	}
}
