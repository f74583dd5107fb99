package handshake_test

import (
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/handshake"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func ask(discover, initialize golden.Response) *golden.Session {
	return new(golden.Session).Discover(discover).Initialize(initialize)
}

func initialize(r golden.Response) *golden.Session { return ask(golden.NotFound(), r) }

// stream is an open stream of HTTP+SSE that answers initialize.
func stream() golden.Response {
	return golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: /m?sessionId=1\n\n" +
		`data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}` + "\n\n"}
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	c := handshake.New()
	ok := golden.Initialized()
	info := func(i string) golden.Response {
		return golden.Result(`{"protocolVersion":"2025-06-18","capabilities":{}` + i + `}`)
	}
	for _, tc := range []struct {
		name                 string
		s                    *golden.Session
		completed, reachable string
	}{
		{"legacy", initialize(ok), "true conforming", "true"},
		{"modern", ask(golden.Discovered(), golden.NotFound()), "true conforming", "true"},
		{"dual", ask(golden.Discovered(), ok), "true conforming", "true"},
		{"no serverInfo", initialize(info("")), "true serverinfo_missing", "true"},
		{"serverInfo without version", initialize(info(`,"serverInfo":{"name":"x"}`)), "true serverinfo_incomplete", "true"},
		{"id as text", initialize(golden.JSON(`{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)), "true message_flawed", "true"},
		{"null id", initialize(golden.JSON(`{"jsonrpc":"2.0","id":null,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)), "true message_flawed", "true"},
		{"key twice", initialize(golden.Result(`{"protocolVersion":"2025-06-18","protocolVersion":"x","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)), "true message_flawed", "true"},
		{"unknown revision", initialize(golden.Result(`{"protocolVersion":"9","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)), "true conforming", "true"},
		{"retried", initialize(golden.Fails(wire.HTTPReset)).Initialize(ok), "true conforming", "true"},
		{"second session failed", initialize(ok).Initialize(golden.Fails(wire.HTTPReset)), "true conforming", "true"},

		{"no version", initialize(golden.Result(`{"capabilities":{},"name":"sql"}`)), "false invalid_result", "true"},
		{"version in another spelling", initialize(golden.Result(`{"protocolversion":"2025-06-18","capabilities":{}}`)), "false invalid_result", "true"},
		{"no capabilities", initialize(golden.Result(`{"protocolVersion":"2025-06-18"}`)), "false invalid_result", "true"},
		{"capabilities are null", initialize(golden.Result(`{"protocolVersion":"2025-06-18","capabilities":null}`)), "false invalid_result", "true"},
		{"null", initialize(golden.Result(`null`)), "false invalid_result", "true"},
		{"array", initialize(golden.Result(`[]`)), "false invalid_result", "true"},
		{"text", initialize(golden.Result(`"ok"`)), "false invalid_result", "true"},
		{"nested", initialize(golden.Result(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`)), "false nested_envelope", "true"},
		{"error", initialize(golden.RPCError(400, `{"code":-32000,"message":"x"}`)), "false jsonrpc_error", "true"},
		{"result with 500", initialize(golden.Response{Status: 500, Body: ok.Body}), "false http_5xx", "true"},
		{"page that speaks of MCP", initialize(golden.Response{Status: 200, Type: "text/html", Body: `<pre>{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}</pre>`}), "false html", "true"},
		{"text with 200", initialize(golden.Response{Status: 200, Type: "text/plain", Body: "OK"}), "false text", "true"},
		{"nothing", initialize(golden.Response{Status: 200}), "false empty", "true"},
		{"broken JSON", initialize(golden.JSON(`{"jsonrpc":`)), "false not_json", "true"},
		{"other JSON", initialize(golden.JSON(`{"protocolVersion":"2025-06-18"}`)), "false not_jsonrpc", "true"},
		{"404", initialize(golden.NotFound()), "false http_404", "true"},
		{"421", initialize(golden.Response{Status: 421}), "false http_421", "true"},
		{"418", initialize(golden.Response{Status: 418}), "false http_4xx", "true"},
		{"500", initialize(golden.HTML(500)), "false http_5xx", "true"},
		{"too large", initialize(golden.Response{Status: 200, Body: "[", Failure: wire.HTTPBodyTooBig}), "false body_too_large", "true"},
		{"legacy revisions only", new(golden.Session).Discover(golden.Result(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`)), "false discover_on_legacy", "true"},
		{"unsupported version", new(golden.Session).Discover(golden.RPCError(400, `{"code":-32022,"message":"x","data":{"supported":["2025-11-25"]}}`)), "false unsupported_version", "true"},
		{"unfinished discover", new(golden.Session).Discover(golden.Result(`{"resultType":"input_required","supportedVersions":["2026-07-28"]}`)), "false invalid_result", "true"},
		{"supportedVersions is text", new(golden.Session).Discover(golden.Result(`{"supportedVersions":"2026-07-28"}`)), "false invalid_result", "true"},

		{"401", ask(golden.Response{Status: 401}, golden.Response{Status: 401}), "not_available auth_required", "true"},
		{"401 once", ask(golden.Response{Status: 401}, golden.NotFound()), "not_available auth_required", "true"},
		{"401 to the first, then nothing asked", new(golden.Session).Discover(golden.Response{Status: 401}), "not_available auth_required", "true"},
		{"401 with a handshake in the body", initialize(golden.Response{Status: 401, Body: ok.Body}), "not_available auth_required", "true"},
		{"402", initialize(golden.Response{Status: 402}), "not_available payment_required", "true"},
		{"403", initialize(golden.Response{Status: 403, Body: "{}"}), "not_available forbidden", "true"},
		{"407", initialize(golden.Response{Status: 407}), "not_available proxy_auth_required", "true"},
		{"429", initialize(golden.Response{Status: 429}), "not_available rate_limited", "true"},
		{"503 with an error", initialize(golden.RPCError(503, `{"code":-32603,"message":"x"}`)), "not_available unavailable", "true"},
		{"504", initialize(golden.Response{Status: 504}), "not_available gateway_error", "true"},
		{"edge", ask(golden.HTML(403), golden.HTML(403)), "not_available edge_block", "not_available edge_block"},
		{"edge with 503", ask(golden.HTML(503), golden.HTML(503)), "not_available edge_block", "not_available edge_block"},
		{"the wall is passed in the other era", ask(golden.Response{Status: 401}, ok), "true conforming", "true"},

		{"timeout in one era", ask(golden.Fails(wire.HTTPTimeoutHeader), golden.NotFound()), "not_available http.timeout_header", "true"},
		{"silence", initialize(golden.Response{Status: 200, Type: "text/event-stream", Failure: wire.HTTPTimeoutBody}), "not_available http.timeout_body", "true"},
		{"stream ends", initialize(golden.Response{Status: 200, Type: "text/event-stream", Body: ": hello\n\n"}), "not_available stream.ended", "true"},
		{"redirect to elsewhere", initialize(golden.Response{Status: 307, Failure: wire.PolicyRedirect}), "not_available policy.redirect", "true"},
		{"no such name", ask(golden.Fails(wire.ResolveNotFound), golden.Fails(wire.ResolveNotFound)), "not_available resolve.not_found", "false resolve.not_found"},
		{"refused, and nothing more asked", new(golden.Session).Discover(golden.Fails(wire.ConnectRefused)), "not_available connect.refused", "false connect.refused"},
		{"certificate", initialize(golden.Fails(wire.TLSCertificate)), "not_available tls.certificate", "true"},
		{"resolver failed", new(golden.Session).Discover(golden.Fails(wire.ResolveFailed)), "not_available resolve.failed", "not_available resolve.failed"},
		{"never dialled", new(golden.Session).Discover(golden.Fails(wire.PolicyAddress)), "not_available policy.address", "not_available policy.address"},
		{"nothing sent", new(golden.Session), "not_available not_asked", "not_available not_asked"},
		{"stopped", new(golden.Session).Ends(wire.EndedInterrupted), "not_available interrupted", "not_available interrupted"},
		{"deferred", new(golden.Session).Discover(golden.Response{Status: 429}).Ends(wire.EndedDeferred), "not_available rate_limited", "true"},

		{"HTTP+SSE", initialize(golden.Response{Status: 405}).OpenStream(stream()).Post(wire.StepInitialize, 0), "true conforming", "true"},
		{"HTTP+SSE is only a way out", initialize(golden.Response{Status: 405}).OpenStream(golden.Fails(wire.HTTPTimeoutHeader)), "false http_405", "true"},
		{"HTTP+SSE is declared", new(golden.Session).Declares(wire.HTTPSSE).OpenStream(golden.Fails(wire.HTTPTimeoutHeader)).Initialize(golden.Response{Status: 405}), "not_available http.timeout_header", "true"},
		{"HTTP+SSE is gated", initialize(golden.Response{Status: 405}).OpenStream(golden.Response{Status: 401}), "not_available auth_required", "true"},
		{"endpoint elsewhere", new(golden.Session).Declares(wire.HTTPSSE).OpenStream(golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: https://evil.example/m\n\n", Failure: wire.PolicyEndpoint}), "not_available policy.endpoint", "true"},
	} {
		got := golden.Findings(t, c, tc.s)
		if say := golden.Say(got["handshake.completed"]); say != tc.completed {
			t.Errorf("%s: completed is %q, want %q", tc.name, say, tc.completed)
		}
		if say := golden.Say(got["handshake.reachable"]); say != tc.reachable {
			t.Errorf("%s: reachable is %q, want %q", tc.name, say, tc.reachable)
		}
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, handshake.New())
}
