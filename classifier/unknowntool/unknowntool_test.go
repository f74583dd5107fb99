package unknowntool_test

import (
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/unknowntool"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func legacy(r golden.Response) *golden.Session {
	return new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()).Call(wire.Legacy, r)
}

func modern(r golden.Response) *golden.Session {
	return new(golden.Session).Discover(golden.Discovered()).Initialize(golden.NotFound()).Call(wire.Modern, r)
}

// TestMechanisms shows each answer in both eras. A second text is what differs in the modern era.
func TestMechanisms(t *testing.T) {
	t.Parallel()
	c := unknowntool.New()
	text := func(s string) string { return `{"content":[{"type":"text","text":"` + s + `"}]}` }
	flagged := func(s string) string { return `{"content":[{"type":"text","text":"` + s + `"}],"isError":true}` }
	for _, tc := range []struct {
		name   string
		answer golden.Response
		legacy string
		modern string
	}{
		{"-32602", golden.RPCError(200, `{"code":-32602,"message":"Unknown tool"}`), "false protocol_-32602", ""},
		{"-32602 with 400", golden.RPCError(400, `{"code":-32602,"message":"Unknown tool"}`), "false protocol_-32602", ""},
		{"-32602 with 404", golden.RPCError(404, `{"code":-32602,"message":"Unknown tool"}`), "false protocol_-32602", ""},
		{"-32602.0", golden.RPCError(200, `{"code":-32602.0,"message":"Unknown tool"}`), "false protocol_-32602", ""},
		{"-32601", golden.RPCError(200, `{"code":-32601,"message":"Method not found"}`), "false protocol_-32601", ""},
		{"-32603 with 500", golden.RPCError(500, `{"code":-32603,"message":"boom"}`), "false protocol_-32603", ""},
		{"-32600", golden.RPCError(200, `{"code":-32600,"message":"x"}`), "false protocol_-32600", ""},
		{"-32700", golden.RPCError(200, `{"code":-32700,"message":"x"}`), "false protocol_-32700", ""},
		{"legacy code", golden.RPCError(200, `{"code":-32000,"message":"x"}`), "false protocol_legacy_impl", ""},
		{"-32002 is defined until 2025-11-25", golden.RPCError(200, `{"code":-32002,"message":"x"}`), "false protocol_mcp_defined", "false protocol_legacy_impl"},
		{"-32042 is defined in 2025-11-25", golden.RPCError(200, `{"code":-32042,"message":"x"}`), "false protocol_mcp_defined", "false protocol_reserved_undefined"},
		{"defined code", golden.RPCError(200, `{"code":-32021,"message":"x"}`), "false protocol_mcp_defined", ""},
		{"reserved code", golden.RPCError(200, `{"code":-32029,"message":"x"}`), "false protocol_reserved_undefined", ""},
		{"-32023 without data", golden.RPCError(200, `{"code":-32023,"message":"x"}`), "false protocol_reserved_undefined", ""},
		{"other reserved code", golden.RPCError(200, `{"code":-32500,"message":"x"}`), "false protocol_other_reserved", ""},
		{"application code", golden.RPCError(200, `{"code":0,"message":"x"}`), "false protocol_app", ""},
		{"code that is text", golden.RPCError(200, `{"code":"INVALID_PARAMS","message":"x"}`), "false protocol_code_not_integer", ""},
		{"error that is text", golden.RPCError(200, `"x"`), "false protocol_code_not_integer", ""},
		{"code in another spelling only", golden.RPCError(200, `{"Code":-32602,"message":"x"}`), "false protocol_code_not_integer", ""},

		{"tool error", golden.Result(flagged("nope")), "true tool_error", ""},
		{"tool error without content", golden.Result(`{"isError":true}`), "true tool_error", ""},
		{"tool error of an unknown result type", golden.Result(`{"resultType":"x","content":[],"isError":true}`), "true tool_error", ""},
		{"wrapped protocol error", golden.Result(flagged("MCP error -32602: Tool x not found")), "true tool_error_wrapped_protocol", ""},
		{"wrapped in the middle", golden.Result(flagged("says MCP error -32602: x")), "true tool_error", ""},
		{"tool error with a string id", golden.JSON(`{"jsonrpc":"2.0","id":"3","result":` + flagged("nope") + `}`), "true tool_error", ""},

		{"case variant of isError", golden.Result(`{"content":[{"type":"text","text":"ok"}],"isError":false,"IsError":true}`), "false success_other", ""},
		{"only a case variant", golden.Result(`{"content":[{"type":"text","text":"ok"}],"iserror":true}`), "false success_other", ""},
		{"U+017F variant", golden.Result(`{"content":[],"isError":false,"i\u017fError":true}`), "false success_empty", ""},
		{"isError twice", golden.Result(`{"content":[],"isError":true,"isError":false}`), "not_supported duplicate_key", ""},
		{"isError twice, otherwise", golden.Result(`{"content":[],"isError":false,"isError":true}`), "not_supported duplicate_key", ""},
		{"isError is text", golden.Result(`{"content":[{"type":"text","text":"boom"}],"isError":"true"}`), "false malformed_result", ""},

		{"flagless error", golden.Result(text("Unknown tool: census")), "false success_flagless_error_text", ""},
		{"flagless error in upper case", golden.Result(text("ERROR: x")), "false success_flagless_error_text", ""},
		{"no word but a part of one", golden.Result(text("terrorism, mirrored")), "false success_other", ""},
		{"success", golden.Result(text("hello")), "false success_other", ""},
		{"success with an image", golden.Result(`{"content":[{"type":"image","data":"","mimeType":"image/png"}]}`), "false success_other", ""},
		{"only structured", golden.Result(`{"content":[],"structuredContent":{"greeting":"hi"}}`), "false success_other", ""},
		{"empty", golden.Result(`{"content":[]}`), "false success_empty", ""},
		{"empty and complete", golden.Result(`{"resultType":"complete","content":[],"isError":false}`), "false success_empty", ""},

		{"wrapped result", golden.Result(`{"toolResult":{"content":[],"isError":true}}`), "false malformed_result", ""},
		{"plain object", golden.Result(`{"success":true}`), "false malformed_result", ""},
		{"content is text", golden.Result(`{"content":"hello"}`), "false malformed_result", ""},
		{"content is an object", golden.Result(`{"content":{"type":"text","text":"hello"}}`), "false malformed_result", ""},
		{"content is null", golden.Result(`{"content":null}`), "false malformed_result", ""},
		{"null in the content", golden.Result(`{"content":[null,{"type":"text","text":"x"}]}`), "false malformed_result", ""},
		{"text is a number", golden.Result(`{"content":[{"type":"text","text":5}]}`), "false malformed_result", ""},
		{"result is an array", golden.Result(`[]`), "false malformed_result", ""},
		{"result is text", golden.Result(`"ok"`), "false malformed_result", ""},
		{"result is null", golden.Result(`null`), "false malformed_result", ""},
		{"envelope in the envelope", golden.Result(`{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}}`), "false malformed_result", ""},
		{"error in the envelope", golden.Result(`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"x"}}`), "false malformed_result", ""},

		{"input required", golden.Result(`{"resultType":"input_required","inputRequests":{}}`), "false malformed_result", "false input_required"},
		{"task of the modern era", golden.Result(`{"resultType":"task","taskId":"1"}`), "false malformed_result", "false task"},
		{"task of 2025-11-25", golden.Result(`{"task":{"taskId":"1","status":"working"}}`), "false task", "false malformed_result"},
		{"unknown result type", golden.Result(`{"resultType":"x","content":[]}`), "false success_empty", "false malformed_result"},
		{"result type is a number", golden.Result(`{"resultType":1,"content":[]}`), "false success_empty", "false malformed_result"},

		{"page with 400", golden.HTML(400), "false http_4xx_no_rpc", ""},
		{"text with 400", golden.Response{Status: 400, Type: "text/plain", Body: "bad"}, "false http_4xx_no_rpc", ""},
		{"page with 500", golden.HTML(500), "false http_5xx_no_rpc", ""},
		{"page with 200", golden.HTML(200), "false http_2xx_no_rpc", ""},
		{"nothing with 200", golden.Response{Status: 200}, "false http_2xx_no_rpc", ""},
		{"nothing with 202", golden.Response{Status: 202}, "false http_2xx_no_rpc", ""},
		{"NaN", golden.Result(`{"content":[],"structuredContent":{"n":NaN}}`), "false http_2xx_no_rpc", ""},
		{"Infinity", golden.Result(`{"content":[],"structuredContent":{"n":-Infinity}}`), "false http_2xx_no_rpc", ""},
		{"1e400 is a number", golden.Result(`{"content":[],"structuredContent":{"n":1e400}}`), "false success_other", ""},
		{"half of an answer", golden.JSON(`{"jsonrpc":"2.0","id":3,"result":{"content":[`), "false http_2xx_no_rpc", ""},
		{"JSON that is no message", golden.JSON(`{"isError":true}`), "false http_2xx_no_rpc", ""},
		{"result and error", golden.JSON(`{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1}}`), "false http_2xx_no_rpc", ""},
		{"answer to another id", golden.JSON(`{"jsonrpc":"2.0","id":99,"result":` + flagged("x") + `}`), "false http_2xx_no_rpc", ""},
		{"status of no class", golden.Response{Status: 600}, "false http_other_no_rpc", ""},
		{"redirect to nowhere", golden.Response{Status: 304}, "false http_3xx_no_rpc", ""},
		{"event stream", golden.Response{Status: 200, Type: "text/event-stream", Body: "data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[],\"isError\":true}}\n\n"}, "true tool_error", ""},

		{"401", golden.Response{Status: 401}, "not_available auth_required", ""},
		{"401 with an error", golden.RPCError(401, `{"code":-32602,"message":"x"}`), "not_available auth_required", ""},
		{"402", golden.Response{Status: 402, Body: "{}"}, "not_available payment_required", ""},
		{"403", golden.Response{Status: 403, Body: "{}"}, "not_available forbidden", ""},
		{"403 with a page", golden.HTML(403), "not_available edge_block", ""},
		{"407", golden.Response{Status: 407}, "not_available proxy_auth_required", ""},
		{"429", golden.Response{Status: 429}, "not_available rate_limited", ""},
		{"429 with an error", golden.RPCError(429, `{"code":-32029,"message":"x"}`), "not_available rate_limited", ""},
		{"503", golden.Response{Status: 503}, "not_available unavailable", ""},
		{"503 with a page", golden.HTML(503), "not_available edge_block", ""},
		{"502", golden.HTML(502), "not_available gateway_error", ""},
		{"524", golden.HTML(524), "not_available gateway_error", ""},
		{"rate limit of the draft", golden.RPCError(200, `{"code":-32023,"message":"x","data":{"retryAfterMs":0}}`), "not_available rate_limited", ""},
		{"rate limit as a code", golden.RPCError(200, `{"code":429,"message":"x"}`), "not_available rate_limited", ""},
		{"payment as a code", golden.RPCError(200, `{"code":-402,"message":"x"}`), "not_available payment_required", ""},
		{"payment as data", golden.RPCError(200, `{"code":-32042,"message":"x","data":{"httpStatus":402}}`), "not_available payment_required", ""},
		{"timeout", golden.Fails(wire.HTTPTimeoutHeader), "not_available http.timeout_header", ""},
		{"silence", golden.Response{Status: 200, Type: "text/event-stream", Failure: wire.HTTPTimeoutBody}, "not_available http.timeout_body", ""},
		{"stream that ends", golden.Response{Status: 200, Type: "text/event-stream", Body: ": x\n\n"}, "not_available stream.ended", ""},
		{"lost session", golden.Response{Status: 404}, "not_available session_lost", "false http_4xx_no_rpc"},
		{"lost session with an error", golden.RPCError(404, `{"code":-32001,"message":"x"}`), "not_available session_lost", "false protocol_legacy_impl"},
		{"-32000 with 400", golden.RPCError(400, `{"code":-32000,"message":"x"}`), "false protocol_legacy_impl", ""},
	} {
		want := tc.legacy
		got := golden.Findings(t, c, legacy(tc.answer))
		expect(t, tc.name+", legacy", golden.Say(got["unknown_tool.tool_error"]), want)
		expect(t, tc.name+", legacy by era", golden.Say(got["unknown_tool.tool_error.legacy"]), want)
		expect(t, tc.name+", no modern", golden.Say(got["unknown_tool.tool_error.modern"]), "not_applicable era_not_spoken")
		if tc.modern != "" {
			want = tc.modern
		}
		got = golden.Findings(t, c, modern(tc.answer))
		expect(t, tc.name+", modern", golden.Say(got["unknown_tool.tool_error"]), want)
		expect(t, tc.name+", modern by era", golden.Say(got["unknown_tool.tool_error.modern"]), want)
		expect(t, tc.name+", no legacy", golden.Say(got["unknown_tool.tool_error.legacy"]), "not_applicable era_not_spoken")
	}
}

func expect(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

func TestOtherQuestions(t *testing.T) {
	t.Parallel()
	c := unknowntool.New()
	for _, tc := range []struct {
		name                     string
		s                        *golden.Session
		toolError, error, status string
	}{
		{"protocol error with 400", modern(golden.RPCError(400, `{"code":-32602,"message":"x"}`)),
			"false protocol_-32602", "true protocol_-32602", "false 400"},
		{"tool error", legacy(golden.Result(`{"content":[],"isError":true}`)), "true tool_error", "false tool_error", "true 200"},
		{"missing", legacy(golden.Response{Status: 401}),
			"not_available auth_required", "not_available auth_required", "not_available auth_required"},
		{"eras differ: the newest leads", new(golden.Session).Discover(golden.Discovered()).Initialize(golden.Initialized()).
			Call(wire.Modern, golden.RPCError(400, `{"code":-32602,"message":"x"}`)).
			Call(wire.Legacy, golden.Result(`{"content":[],"isError":true}`)),
			"false protocol_-32602", "true protocol_-32602", "false 400"},
		{"the newest that showed one leads", new(golden.Session).Discover(golden.Discovered()).Initialize(golden.Initialized()).
			Call(wire.Modern, golden.Fails(wire.HTTPReset)).
			Call(wire.Legacy, golden.Result(`{"content":[],"isError":true}`)),
			"true tool_error", "false tool_error", "true 200"},
		{"a retry replaces", legacy(golden.Fails(wire.HTTPReset)).Call(wire.Legacy, golden.Result(`{"content":[],"isError":true}`)),
			"true tool_error", "false tool_error", "true 200"},
		{"budget spent", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()).Ends(wire.EndedBudget),
			"not_available budget", "not_available budget", "not_available budget"},
		{"not asked", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()),
			"not_available not_asked", "not_available not_asked", "not_available not_asked"},
		{"no handshake", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.NotFound()),
			"not_available no_handshake", "not_available no_handshake", "not_available no_handshake"},
		{"broken handshake", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Result(`{"capabilities":{}}`)).
			Call(wire.Legacy, golden.Result(`{"content":[],"isError":true}`)),
			"not_available no_handshake", "not_available no_handshake", "not_available no_handshake"},
		{"gated", new(golden.Session).Discover(golden.Response{Status: 401}),
			"not_available auth_required", "not_available auth_required", "not_available auth_required"},
		{"refused", new(golden.Session).Discover(golden.Fails(wire.ConnectRefused)),
			"not_available connect.refused", "not_available connect.refused", "not_available connect.refused"},
		{"nothing sent", new(golden.Session), "not_available not_asked", "not_available not_asked", "not_available not_asked"},
		{"HTTP+SSE", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.NotFound()).
			OpenStream(golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: /m?sessionId=1\n\n" +
				"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}}\n\n" +
				"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[],\"isError\":true}}\n\n"}).
			Post(wire.StepInitialize, 0).Post(wire.StepUnknownTool, 0),
			"true tool_error", "false tool_error", "not_applicable other_transport"},
	} {
		got := golden.Findings(t, c, tc.s)
		expect(t, tc.name, golden.Say(got["unknown_tool.tool_error"]), tc.toolError)
		expect(t, tc.name+", protocol_error", golden.Say(got["unknown_tool.protocol_error"]), tc.error)
		expect(t, tc.name+", http_status", golden.Say(got["unknown_tool.http_status"]), tc.status)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, unknowntool.New())
}
