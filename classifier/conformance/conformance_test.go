package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/conformance"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// say classifies a transcript and writes every finding in short, by rule.
func say(t *testing.T, transcript *wire.Transcript) map[string]string {
	t.Helper()
	c := conformance.New()
	findings := c.Classify(transcript)
	if err := classifier.Check(c, transcript, findings); err != nil {
		t.Error(err)
	}
	out := map[string]string{}
	var broken []string
	for _, f := range findings {
		out[strings.TrimPrefix(f.Question, "conformance.")] = golden.Say(f)
		if f.Answer == classifier.False {
			broken = append(broken, f.Question)
		}
	}
	var told []string
	for _, r := range conformance.Broken(transcript) {
		told = append(told, r.Question)
		if r.Asks == "" || r.Source == "" || len(r.Breaches) == 0 || r.Total < len(r.Breaches) {
			t.Errorf("%s is told without its place: %+v", r.Question, r)
		}
		for _, b := range r.Breaches {
			if b.Detail == "" || transcript.Exchange(b.Exchange) == nil {
				t.Errorf("%s: %+v shows nothing", r.Question, b)
			}
		}
	}
	if d := cmp.Diff(broken, told); d != "" {
		t.Errorf("findings and what is told differ: %s", d)
	}
	return out
}

const tools = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`

func modernTools(entries string) golden.Response {
	return golden.Result(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[` + entries + `]}`)
}

func noSuchTool() golden.Response { return golden.RPCError(200, `{"code":-32602,"message":"x"}`) }

// legacy is a visit of a legacy server with one answer of its own.
func legacy(list, call golden.Response) *wire.Transcript {
	return new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()).
		List(wire.Legacy, 1, list).Call(wire.Legacy, call).Transcript()
}

func modern(list, call golden.Response) *wire.Transcript {
	return new(golden.Session).Discover(golden.Discovered()).Initialize(golden.NotFound()).
		List(wire.Modern, 1, list).Call(wire.Modern, call).Transcript()
}

// A server that keeps every rule breaks none, whatever its mechanism.
func TestGoodServers(t *testing.T) {
	t.Parallel()
	for _, call := range []golden.Response{
		noSuchTool(),
		golden.RPCError(400, `{"code":-32602,"message":"x"}`),
		golden.RPCError(200, `{"code":-32601,"message":"x"}`),
		golden.RPCError(200, `{"code":-32603,"message":"x"}`),
		golden.RPCError(200, `{"code":-32000,"message":"x"}`),
		golden.RPCError(200, `{"code":0,"message":"x"}`),
		golden.Result(`{"resultType":"complete","content":[{"type":"text","text":"MCP error -32602: x"}],"isError":true}`),
		golden.Result(`{"resultType":"complete","content":[]}`),
	} {
		for name, transcript := range map[string]*wire.Transcript{
			"legacy": legacy(golden.Result(tools), call),
			"modern": modern(modernTools(`{"name":"a","inputSchema":{"type":"object"}}`), call),
		} {
			for rule, got := range say(t, transcript) {
				if strings.HasPrefix(got, "false") {
					t.Errorf("%s, %s: %s %s", name, call.Body, rule, got)
				}
			}
		}
	}
}

func TestHandshakeResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ result, want string }{
		{`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"","version":""}}`, "true"},
		{`{"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`, "false protocol_version"},
		{`{"protocolVersion":1,"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`, "false protocol_version"},
		{`{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}`, "false capabilities"},
		{`{"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":{"name":"x","version":"1"}}`, "false capabilities"},
		{`{"protocolVersion":"2025-11-25","capabilities":{}}`, "false server_info"},
		{`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"version":"1"}}`, "false server_info_name"},
		{`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x"}}`, "false server_info_version"},
		{`null`, "false result_not_object"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "false nested_envelope"},
	} {
		got := say(t, new(golden.Session).Initialize(golden.Result(tc.result)).Transcript())
		if got["initialize_result"] != tc.want {
			t.Errorf("initialize %s: %q, want %q", tc.result, got["initialize_result"], tc.want)
		}
	}
	for _, tc := range []struct{ result, discover, resultType, cache string }{
		{`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`, "true", "true", "true"},
		{`{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`, "true", "false result_type_absent", "true"},
		{`{"resultType":"complete","supportedVersions":["2026-07-28",7],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`, "false supported_versions", "true", "true"},
		{`{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"private"}`, "false capabilities", "true", "true"},
		{`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"cacheScope":"private"}`, "true", "true", "false ttl_absent"},
		{`{"resultType":"complete","supportedVersions":["2025-11-25"],"capabilities":{}}`, "not_applicable era_not_spoken", "not_applicable era_not_spoken", "not_applicable era_not_spoken"},
		{`{"resultType":"complete","supportedVersions":["2099-01-01"],"capabilities":{}}`, "not_supported revision_unknown", "not_supported revision_unknown", "not_supported revision_unknown"},
	} {
		got := say(t, new(golden.Session).Discover(golden.Result(tc.result)).Transcript())
		if d := cmp.Diff([]string{tc.discover, tc.resultType, tc.cache}, []string{got["discover_result"], got["result_type"], got["cache_fields"]}); d != "" {
			t.Errorf("discover %s: %s", tc.result, d)
		}
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	var entries []string
	for range 25 {
		entries = append(entries, `{"name":"a"}`)
	}
	got := conformance.Broken(legacy(golden.Result(`{"tools":[`+strings.Join(entries, ",")+`]}`), noSuchTool()))
	if len(got) != 1 || got[0].Question != "conformance.tool_entry" || got[0].Total != 25 || len(got[0].Breaches) != 10 {
		t.Fatalf("%+v", got)
	}
	want := conformance.Breach{Label: "input_schema_absent", Exchange: 3, Detail: `tool "a": inputSchema is absent`}
	if d := cmp.Diff(want, got[0].Breaches[0]); d != "" {
		t.Error(d)
	}
	if !slices.Contains(conformance.New().Reads, wire.StepCall) {
		t.Error("an allowed call is not read")
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, conformance.New())
}
