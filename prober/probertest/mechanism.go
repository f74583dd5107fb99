package probertest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Mechanism is how a server answers the call of a tool that it does not have. The zero value is a JSON-RPC error -32602
// over HTTP 200.
type Mechanism struct {
	// Class is what a classifier must call it: a mechanism, or why none can be observed ("timeout", "connection_closed",
	// "not_observable_auth", "not_observable_rate_limited").
	Class string
	// Failure or Result is the raw JSON of that member; {{tool}} stands for the name that was called, ready to be put
	// inside a JSON string.
	Failure, Result string
	// Status carries the message; 0 means 200.
	Status int
	// Reply replaces the message by bytes.
	Reply *Reply
}

func (m Mechanism) answer(q *request, era wire.Era) answer {
	if m.Reply != nil {
		return answer{reply: m.Reply, id: q.id}
	}
	if m.Failure == "" && m.Result == "" {
		m.Failure = UnknownToolError(-32602).Failure
	}
	name := strings.Trim(quote(q.tool()), `"`)
	a := answer{status: m.Status, id: q.id,
		failure: strings.ReplaceAll(m.Failure, "{{tool}}", name),
		result:  strings.ReplaceAll(m.Result, "{{tool}}", name)}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if era == wire.Modern && a.result != "" {
		a.result = complete(a.result, resultComplete)
	}
	return a
}

// Observable says whether the answer shows a mechanism at all.
func (m Mechanism) Observable() bool {
	switch m.Class {
	case "timeout", "connection_closed", "not_observable_auth", "not_observable_rate_limited":
		return false
	}
	return true
}

// HTTPStatus is the status that carries the answer over streamable HTTP; 0 when none is sent.
func (m Mechanism) HTTPStatus() int {
	switch {
	case m.Reply == nil:
		return orOK(m.Status)
	case m.Reply.Hang || m.Reply.Hijack:
		return 0
	}
	return orOK(m.Reply.Status)
}

// With is the same mechanism over another HTTP status.
func (m Mechanism) With(status int) Mechanism {
	m.Status = status
	return m
}

// UnknownToolError answers with a JSON-RPC error of that code.
func UnknownToolError(code int) Mechanism {
	return Mechanism{Class: codeClass(code), Failure: errorObject(code, "Unknown tool: {{tool}}", "")}
}

// codeClass names the band of a JSON-RPC error code, judged at the newest revision.
func codeClass(code int) string {
	switch {
	case code == -32700 || code >= -32603 && code <= -32600:
		return "protocol_" + strconv.Itoa(code)
	case code >= -32019 && code <= -32000:
		return "protocol_legacy_impl"
	case code >= -32022 && code <= -32020:
		return "protocol_mcp_defined"
	case code >= -32099 && code <= -32020:
		return "protocol_reserved_undefined"
	case code >= -32768 && code <= -32000:
		return "protocol_other_reserved"
	}
	return "protocol_app"
}

// UnknownToolResult answers with a result that is marked isError.
func UnknownToolResult() Mechanism {
	return Mechanism{Class: "tool_error", Result: `{"content":[{"type":"text","text":"Unknown tool: {{tool}}"}],"isError":true}`}
}

// WrappedToolResult answers as the official TypeScript SDK v1 does from 1.21.0: a protocol error as the text of an
// isError result.
func WrappedToolResult() Mechanism {
	return Mechanism{Class: "tool_error_wrapped_protocol", Result: `{"content":[{"type":"text","text":"MCP error -32602: Tool {{tool}} not found"}],"isError":true}`}
}

// Mechanisms returns one mechanism for every class of answer that a server can give, and some variants. Each stands
// for legacy and modern servers, except "task" (legacy alone) and "input_required" (modern alone).
func Mechanisms() []Mechanism {
	list := []Mechanism{
		UnknownToolError(-32602), UnknownToolError(-32602).With(http.StatusBadRequest),
		UnknownToolError(-32601), UnknownToolError(-32601).With(http.StatusNotFound),
		UnknownToolError(-32603), UnknownToolError(-32603).With(http.StatusInternalServerError),
		UnknownToolError(-32600), UnknownToolError(-32001), UnknownToolError(-32021),
		UnknownToolError(-32050), UnknownToolError(-32200), UnknownToolError(0), UnknownToolError(404),
		UnknownToolResult(), WrappedToolResult(),
		{Class: "success_flagless_error_text", Result: `{"content":[{"type":"text","text":"Unknown tool: {{tool}}"}]}`},
		{Class: "success_flagless_error_text", Result: `{"content":[{"type":"text","text":"Error: tool {{tool}} not found"}],"isError":false}`},
		{Class: "success_other", Result: `{"content":[{"type":"text","text":"Sunny, 21 degrees"}]}`},
		{Class: "success_empty", Result: `{"content":[]}`},
		{Class: "malformed_result", Result: `{}`},
		{Class: "malformed_result", Result: `{"content":"Unknown tool: {{tool}}"}`},
		{Class: "malformed_result", Result: `null`},
		{Class: "input_required", Result: `{"resultType":"input_required","inputRequests":{}}`},
		{Class: "task", Result: `{"task":{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","ttl":60000}}`},
	}
	for _, named := range []struct {
		class string
		fault Reply
	}{
		{"http_4xx_no_rpc", PlainReply(http.StatusBadRequest, "unknown tool")},
		{"http_4xx_no_rpc", HTMLReply(http.StatusNotFound)},
		{"http_5xx_no_rpc", PlainReply(http.StatusInternalServerError, "Internal Server Error")},
		{"http_2xx_no_rpc", HTMLReply(http.StatusOK)},
		{"http_2xx_no_rpc", Reply{Status: http.StatusOK}},
		{"http_2xx_no_rpc", Reply{Status: http.StatusOK, Header: jsonType, Body: `{"jsonrpc":"2.0","id":{{id}},"resu`}},
		{"timeout", Reply{Hang: true}},
		{"connection_closed", Reply{Hijack: true}},
		{"not_observable_auth", PlainReply(http.StatusUnauthorized, "sign in")},
		{"not_observable_rate_limited", Reply{Status: http.StatusTooManyRequests, Header: []wire.Field{{Name: "Retry-After", Value: "3600"}}}},
	} {
		list = append(list, Mechanism{Class: named.class, Reply: &named.fault})
	}
	return list
}
