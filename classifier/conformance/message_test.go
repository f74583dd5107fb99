package conformance_test

import (
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestMessageRules(t *testing.T) {
	t.Parallel()
	const result = `"result":` + tools
	for _, tc := range []struct{ name, rule, body, want string }{
		{"good", "jsonrpc_message", `{"jsonrpc":"2.0","id":2,` + result + `}`, "true"},
		{"array", "jsonrpc_message", `[{"jsonrpc":"2.0","id":2,` + result + `}]`, "false batch"},
		{"both", "jsonrpc_message", `{"jsonrpc":"2.0","id":2,` + result + `,"error":{"code":1,"message":"x"}}`, "false both_result_and_error"},
		{"error null", "jsonrpc_message", `{"jsonrpc":"2.0","id":2,` + result + `,"error":null}`, "false both_result_and_error"},
		{"no version", "jsonrpc_message", `{"id":2,` + result + `}`, "false jsonrpc_version"},
		{"neither", "jsonrpc_message", `{"jsonrpc":"2.0","id":2}`, "false not_jsonrpc"},
		{"bare", "jsonrpc_message", tools, "false jsonrpc_version"},

		{"good", "id_echo", `{"jsonrpc":"2.0","id":2,` + result + `}`, "true"},
		{"text", "id_echo", `{"jsonrpc":"2.0","id":"2",` + result + `}`, "false id_type_changed"},
		{"float", "id_echo", `{"jsonrpc":"2.0","id":2.0,` + result + `}`, "false id_type_changed"},
		{"null", "id_echo", `{"jsonrpc":"2.0","id":null,` + result + `}`, "false id_null"},
		{"missing", "id_echo", `{"jsonrpc":"2.0",` + result + `}`, "false id_missing"},
		{"other", "id_echo", `{"jsonrpc":"2.0","id":99,` + result + `}`, "false id_other"},
		{"error null", "id_echo", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}`, "false id_null"},
		{"unread", "id_echo", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`, "true"}, // by the other answers

		{"good", "json_text", `{"jsonrpc":"2.0","id":2,` + result + "}\n", "true"},
		{"cut", "json_text", `{"jsonrpc":"2.0","id":2,"result":{`, "false incomplete_json"},
		{"broken", "json_text", `{"jsonrpc":"2.0","id":2,"result":}`, "false not_json"},
		{"NaN", "json_text", `{"jsonrpc":"2.0","id":2,"result":NaN}`, "false nonfinite_number"},
		{"not UTF-8", "json_text", `{"jsonrpc":"2.0","id":2,` + result + `,"x":"` + "\xff" + `"}`, "false invalid_utf8"},
		{"mark", "json_text", "\ufeff" + `{"jsonrpc":"2.0","id":2,` + result + `}`, "false json_bom"},
		{"two", "json_text", `{"jsonrpc":"2.0","id":2,` + result + "}\n" + `{"jsonrpc":"2.0","id":2,` + result + `}`, "false several_values"},
		{"trailing", "json_text", `{"jsonrpc":"2.0","id":2,` + result + `} trailing`, "false trailing_bytes"},

		{"good", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":""}}`, "true"},
		{"integral", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"code":-32603.0,"message":"x"}}`, "true"},
		{"text", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"code":"-32603","message":"x"}}`, "false error_code_type"},
		{"fraction", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"code":1.5,"message":"x"}}`, "false error_code_type"},
		{"no code", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"message":"x"}}`, "false error_code_type"},
		{"no message", "error_object", `{"jsonrpc":"2.0","id":2,"error":{"code":1}}`, "false error_message_type"},
		{"no object", "error_object", `{"jsonrpc":"2.0","id":2,"error":"x"}`, "false error_not_object"},
	} {
		got := say(t, legacy(golden.Response{Type: "application/json", Body: tc.body}, noSuchTool()))[tc.rule]
		if got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.rule, tc.name, got, tc.want)
		}
	}
	// Statuses that carry no promise: a server may refuse in its own words, and without an id.
	for _, status := range []int{400, 404, 500} {
		for _, body := range []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}`, `{"detail":"x"}`, `[]`, `{`} {
			got := say(t, legacy(golden.Response{Status: status, Type: "application/json", Body: body}, noSuchTool()))
			for _, rule := range []string{"jsonrpc_message", "id_echo", "json_text"} {
				if got[rule] != "true" {
					t.Errorf("%d %s: %s %q", status, body, rule, got[rule])
				}
			}
		}
	}
}

// A server that never completes a handshake breaks rules only by what is clearly meant as a message.
func TestWithoutHandshake(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		answer                 golden.Response
		message, text, content string
	}{
		{golden.JSON(`{"id":1,"result":{}}`), "false jsonrpc_version", "not_available no_handshake", "not_available no_handshake"},
		{golden.JSON(`{"protocolVersion":"2025-11-25","capabilities":{}}`), "false jsonrpc_version", "not_available no_handshake", "not_available no_handshake"},
		{golden.JSON(`{"ok":true}`), "not_available no_handshake", "not_available no_handshake", "not_available no_handshake"},
		{golden.JSON(`{"error":"no such page"}`), "not_available no_handshake", "not_available no_handshake", "not_available no_handshake"},
		{golden.JSON(`{"jsonrpc":`), "not_available no_handshake", "false incomplete_json", "not_available no_handshake"},
		{golden.HTML(200), "not_available no_handshake", "not_available no_handshake", "not_available no_handshake"},
		{golden.Response{Status: 401}, "not_available auth_required", "not_available auth_required", "not_available auth_required"},
		{golden.Response{Status: 503}, "not_available unavailable", "not_available unavailable", "not_available unavailable"},
		{golden.Fails(wire.ConnectRefused), "not_available connect.refused", "not_available connect.refused", "not_available connect.refused"},
	} {
		got := say(t, new(golden.Session).Discover(tc.answer).Initialize(tc.answer).Transcript())
		want := map[string]string{"jsonrpc_message": tc.message, "json_text": tc.text, "content_type": tc.content}
		for rule := range want {
			if got[rule] != want[rule] {
				t.Errorf("%+v: %s is %q, want %q", tc.answer, rule, got[rule], want[rule])
			}
		}
	}
	for rule, got := range say(t, new(golden.Session).Discover(golden.Response{Status: 401}).Initialize(golden.Response{Status: 401}).Transcript()) {
		if got != "not_available auth_required" {
			t.Errorf("behind a wall, %s is %q", rule, got)
		}
	}
}
