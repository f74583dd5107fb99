package era_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/era"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func ask(discover, initialize golden.Response) *golden.Session {
	return new(golden.Session).Discover(discover).Initialize(initialize)
}

func settled(revision string) golden.Response {
	return golden.Result(`{"protocolVersion":"` + revision + `","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
}

func supports(versions string) golden.Response {
	return golden.Result(`{"supportedVersions":` + versions + `,"capabilities":{}}`)
}

func TestEra(t *testing.T) {
	t.Parallel()
	c := era.New()
	for _, tc := range []struct {
		name string
		s    *golden.Session
		want [6]string // modern, legacy, class, revision, legacy_revision, transport
	}{
		{"legacy", ask(golden.NotFound(), golden.Initialized()),
			[6]string{"false http_404", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"legacy of an older revision", ask(golden.RPCError(400, `{"code":-32000,"message":"x"}`), settled("2024-11-05")),
			[6]string{"false jsonrpc_error", "true conforming", "true legacy", "true 2024-11-05", "false 2024-11-05", "true streamable-http"}},
		{"modern", ask(golden.Discovered(), golden.RPCError(400, `{"code":-32022,"message":"x"}`)),
			[6]string{"true conforming", "false jsonrpc_error", "true modern", "true 2026-07-28", "not_applicable era_not_spoken", "true streamable-http"}},
		{"dual", ask(golden.Discovered(), golden.Initialized()),
			[6]string{"true conforming", "true conforming", "true dual", "true 2026-07-28", "true 2025-11-25", "true streamable-http"}},
		{"none", ask(golden.HTML(200), golden.HTML(200)),
			[6]string{"false html", "false html", "false none", "not_available no_handshake", "not_applicable era_not_spoken", "not_available no_handshake"}},
		{"discover on legacy", ask(supports(`["2025-11-25","2025-06-18"]`), golden.Initialized()),
			[6]string{"false discover_on_legacy", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"empty list of versions", ask(supports(`[]`), golden.Initialized()),
			[6]string{"false discover_on_legacy", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"-32022", ask(golden.RPCError(400, `{"code":-32022,"message":"x","data":{"supported":["2025-11-25"]}}`), golden.Initialized()),
			[6]string{"false unsupported_version", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"-32022 and then with a mutual version", ask(golden.RPCError(400, `{"code":-32022,"message":"x","data":{"supported":["2026-12-15"]}}`), golden.NotFound()).Discover(supports(`["2026-12-15"]`)),
			[6]string{"true conforming", "false http_404", "true modern", "false 2026-12-15", "not_applicable era_not_spoken", "true streamable-http"}},
		{"several modern revisions", ask(supports(`["2025-11-25","2027-01-01","2026-07-28","2028-01-01",7]`), golden.NotFound()),
			[6]string{"true conforming", "false http_404", "true modern", "true 2026-07-28", "not_applicable era_not_spoken", "true streamable-http"}},
		{"unknown revision", ask(golden.NotFound(), settled("latest\\u0000")),
			[6]string{"false http_404", "true conforming", "true legacy", "false latest\uFFFD", "false latest\uFFFD", "true streamable-http"}},
		{"unpublished revision", ask(golden.NotFound(), settled("2024-10-07")),
			[6]string{"false http_404", "true conforming", "true legacy", "false 2024-10-07", "false 2024-10-07", "true streamable-http"}},
		{"401", ask(golden.Response{Status: 401}, golden.Response{Status: 401}),
			[6]string{"not_available auth_required", "not_available auth_required", "not_available auth_required", "not_available auth_required", "not_available auth_required", "not_available auth_required"}},
		{"401 for one era leaves the class open", ask(golden.Response{Status: 401}, golden.Initialized()),
			[6]string{"not_available auth_required", "true conforming", "not_available auth_required", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"500 decides nothing", ask(golden.RPCError(500, `{"code":-32603,"message":"x"}`), golden.Initialized()),
			[6]string{"not_available server_error", "true conforming", "not_available server_error", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"500 to both", ask(golden.HTML(500), golden.HTML(500)),
			[6]string{"not_available server_error", "not_available server_error", "not_available server_error", "not_available server_error", "not_available server_error", "not_available server_error"}},
		{"timeout", ask(golden.Fails(wire.HTTPTimeoutHeader), golden.Initialized()),
			[6]string{"not_available http.timeout_header", "true conforming", "not_available http.timeout_header", "true 2025-11-25", "true 2025-11-25", "true streamable-http"}},
		{"refused", new(golden.Session).Discover(golden.Fails(wire.ConnectRefused)),
			[6]string{"not_available connect.refused", "not_available connect.refused", "not_available connect.refused", "not_available connect.refused", "not_available connect.refused", "not_available connect.refused"}},
		{"over a transport that is not declared", ask(golden.NotFound(), golden.Initialized()).Declares(wire.HTTPSSE),
			[6]string{"false http_404", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "false streamable-http"}},
		{"nothing declared", ask(golden.NotFound(), golden.Initialized()).Declares([]wire.Transport{}...),
			[6]string{"false http_404", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "not_applicable streamable-http none_declared"}},
		{"HTTP+SSE", ask(golden.NotFound(), golden.NotFound()).Declares(wire.HTTPSSE).
			OpenStream(golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: /m\n\n" +
				`data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}` + "\n\n"}).
			Post(wire.StepInitialize, 0),
			[6]string{"false http_404", "true conforming", "true legacy", "true 2025-11-25", "true 2025-11-25", "true sse"}},
	} {
		got := golden.Findings(t, c, tc.s)
		var say [6]string
		for i, q := range []string{"modern", "legacy", "class", "revision", "legacy_revision", "transport"} {
			say[i] = golden.Say(got["era."+q])
		}
		if d := cmp.Diff(tc.want, say); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, era.New())
}
