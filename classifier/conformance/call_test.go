package conformance_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestCallResult(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ result, legacy, modern string }{
		{`{"content":[]}`, "true", "true"},
		{`{"content":[{"type":"text","text":""},{"type":"json","json":1}],"isError":true}`, "true", "true"},
		{`{"structuredContent":{}}`, "false content_absent", "false content_absent"},
		{`{"toolResult":{"content":[]}}`, "false content_absent", "false content_absent"},
		{`{"content":null}`, "false content_not_array", "false content_not_array"},
		{`{"content":"hello"}`, "false content_not_array", "false content_not_array"},
		{`{"content":[null]}`, "false content_block", "false content_block"},
		{`{"content":[{"text":"x"}]}`, "false content_block", "false content_block"},
		{`{"content":[{"type":"text","text":5}]}`, "false content_block", "false content_block"},
		{`{"content":[],"isError":"true"}`, "false is_error_type", "false is_error_type"},
		{`[]`, "false result_not_object", "false result_not_object"},
		{`{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`, "false nested_envelope", "false nested_envelope"},
		{`{"task":{"taskId":"1"}}`, "not_applicable no_occasion", "false content_absent"},
		{`{"resultType":"input_required"}`, "false content_absent", "not_applicable no_occasion"},
	} {
		if got := say(t, legacy(golden.Result(tools), golden.Result(tc.result)))["call_result"]; got != tc.legacy {
			t.Errorf("legacy %s: %q, want %q", tc.result, got, tc.legacy)
		}
		if got := say(t, modern(modernTools(``), golden.Result(tc.result)))["call_result"]; got != tc.modern {
			t.Errorf("modern %s: %q, want %q", tc.result, got, tc.modern)
		}
	}
	for status, want := range map[int]string{401: "not_available auth_required", 429: "not_available rate_limited"} {
		if got := say(t, legacy(golden.Result(tools), golden.Response{Status: status}))["call_result"]; got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

func TestStructuredContent(t *testing.T) {
	t.Parallel()
	const listed = `{"tools":[{"name":"plain","inputSchema":{"type":"object"}},{"name":"typed","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]}`
	for _, tc := range []struct{ tool, result, want string }{
		{"typed", `{"content":[],"structuredContent":{}}`, "true"},
		{"typed", `{"content":[]}`, "false structured_absent"},
		{"typed", `{"content":[],"isError":true}`, "not_applicable no_occasion"},
		{"typed", `{"content":[],"structuredContent":null}`, "false structured_not_object"},
		{"typed", `{"content":[],"structuredContent":[]}`, "false structured_not_object"},
		{"plain", `{"content":[]}`, "not_applicable no_occasion"},
		{"plain", `{"content":[],"structuredContent":[]}`, "false structured_not_object"},
	} {
		transcript := legacy(golden.Result(listed), noSuchTool())
		transcript.Exchanges = append(transcript.Exchanges, wire.Exchange{
			Seq: 5, Era: wire.Legacy, Transport: wire.StreamableHTTP, Step: wire.StepCall, Try: 1, Status: 200,
			RequestID:      json.RawMessage("4"),
			RequestBody:    []byte(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"` + tc.tool + `","arguments":{}}}`),
			ResponseHeader: wire.Header{{Name: "Content-Type", Value: "application/json"}},
			Body:           []byte(`{"jsonrpc":"2.0","id":4,"result":` + tc.result + `}`), DeclaredLength: -1,
		})
		if got := say(t, transcript)["structured_content"]; got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.tool, tc.result, got, tc.want)
		}
	}
}
