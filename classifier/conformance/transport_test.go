package conformance_test

import (
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/conformance"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestTransportRules(t *testing.T) {
	t.Parallel()
	notified := func(status int, contentType, body string) *wire.Transcript {
		transcript := legacy(golden.Result(tools), noSuchTool())
		e := wire.Exchange{
			Seq: 5, Era: wire.Legacy, Transport: wire.StreamableHTTP, Step: wire.StepInitialized, Try: 1, Status: status,
			Body: []byte(body), BodyLength: int64(len(body)), DeclaredLength: -1,
		}
		if contentType != "" {
			e.ResponseHeader = wire.Header{{Name: "Content-Type", Value: contentType}}
		}
		transcript.Exchanges = append(transcript.Exchanges, e)
		return transcript
	}
	const answer = `{"jsonrpc":"2.0","id":null,"result":{}}`
	for _, tc := range []struct {
		status            int
		contentType, body string
		want              string
	}{
		{202, "", "", "true status_202"},
		{202, "text/plain", "Accepted", "true status_202"},
		{200, "", "", "true status_other_2xx"},
		{204, "", "", "true status_other_2xx"},
		{400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}`, "true refused"},
		{200, "application/json", answer, "false answered"},
		{202, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, "false answered"},
		{200, "text/event-stream", "data: " + answer + "\n\n", "false answered"},
	} {
		if got := say(t, notified(tc.status, tc.contentType, tc.body))["notification"]; got != tc.want {
			t.Errorf("notification %d %s: %q, want %q", tc.status, tc.body, got, tc.want)
		}
	}

	const message = `{"jsonrpc":"2.0","id":2,"result":` + tools + `}`
	for _, tc := range []struct{ contentType, body, want string }{
		{"application/json", message, "true"},
		{"Application/JSON; charset=utf-8", message, "true"},
		{"text/event-stream", "data: " + message + "\n\n", "true"},
		{"text/plain", message, "false content_type_other"},
		{"application/problem+json", message, "false content_type_other"},
		{"text/event-stream", message, "false content_type_mismatch"},
		{"application/json", "data: " + message + "\n\n", "false content_type_mismatch"},
		{"text/html", "<html>", "false content_type_other"},
	} {
		if got := say(t, legacy(golden.Response{Type: tc.contentType, Body: tc.body}, noSuchTool()))["content_type"]; got != tc.want {
			t.Errorf("content type %s of %.10q: %q, want %q", tc.contentType, tc.body, got, tc.want)
		}
	}
	if got := say(t, legacy(golden.Response{Status: 200}, noSuchTool()))["content_type"]; got != "false content_type_missing" {
		t.Errorf("nothing at all: %q", got)
	}

	for id, want := range map[string]string{
		"": "false not_visible_ascii", "a b": "false not_visible_ascii", "é": "false not_visible_ascii", "a-1~!": "true",
	} {
		transcript := legacy(golden.Result(tools), noSuchTool())
		before := classifier.EvidenceHash(conformance.New(), transcript)
		transcript.Exchanges[1].ResponseHeader = append(transcript.Exchanges[1].ResponseHeader, wire.Field{Name: "MCP-Session-Id", Value: id})
		if got := say(t, transcript)["session_id"]; got != want {
			t.Errorf("session id %q: %q, want %q", id, got, want)
		}
		if same := before == classifier.EvidenceHash(conformance.New(), transcript); same != (want == "true") {
			t.Errorf("session id %q: the evidence hash is the same: %t", id, same)
		}
	}
}

// Over HTTP+SSE the rules of streamable HTTP do not hold, and the answers stand on the stream.
func TestOldTransport(t *testing.T) {
	t.Parallel()
	event := func(message string) string { return "event: message\ndata: " + message + "\n\n" }
	got := say(t, new(golden.Session).Declares(wire.HTTPSSE).OpenStream(golden.Response{Type: "text/event-stream", Body: "event: endpoint\ndata: /m\n\n" +
		event(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`) +
		event(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}]}}`) +
		event(`{"jsonrpc":"2.0","id":3,"error":{"code":"x","message":"y"}}`)}).
		Post(wire.StepInitialize, 0).Post(wire.StepListTools, 1).Post(wire.StepUnknownTool, 0).Transcript())
	for rule, want := range map[string]string{
		"jsonrpc_message": "true", "id_echo": "true", "initialize_result": "true", "tools_list_result": "true",
		"tool_entry": "false input_schema_absent", "error_object": "false error_code_type",
		"content_type": "not_applicable other_transport", "session_id": "not_applicable other_transport",
		"result_type": "not_available not_asked",
	} {
		if got[rule] != want {
			t.Errorf("%s: %q, want %q", rule, got[rule], want)
		}
	}
}
