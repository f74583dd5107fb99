package world

import (
	"net/http"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// fate is what becomes of a visit to an endpoint.
type fate string

const (
	shakesHands fate = "handshake"    // an era completes its handshake
	answersElse fate = "no_handshake" // it answers, but no handshake comes of it
	keptBack    fate = "kept_back"    // no answer, or one that says nothing of eras: 401, 402, 403, 503, a redirect not followed
)

// kind is one way to be an endpoint. The census of a world meets them in the order of the table, again and again.
type kind struct {
	name   string
	fate   fate
	server probertest.Server // its tools are added by the world, unless it lists by itself
	solo   bool              // has a host of its own
	slow   bool              // keeps a visitor waiting: only in worlds that ask for it
	counts bool              // answers by how often it was asked: not in steady worlds

	failure wire.Failure // of every request, when no response header ever arrives
	bare    bool         // lists no tools, though it could
	noList  string       // what is in the place of the list, when there is none
	endless bool         // the cursor of the list leads to nothing new, so that its end is not known
}

const latestLegacy, latestModern = wire.OfferLegacy, wire.OfferModern

var (
	sse     = []wire.Transport{wire.HTTPSSE}
	legacy  = []string{latestLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}
	modern  = []string{latestModern}
	dual    = []string{latestModern, latestLegacy, "2025-06-18"}
	bad400  = probertest.UnknownToolError(-32602).With(http.StatusBadRequest)
	isError = probertest.UnknownToolResult()
)

// mechanism returns the first mechanism of that class.
func mechanism(class string) probertest.Mechanism {
	for _, m := range probertest.Mechanisms() {
		if m.Class == class {
			return m
		}
	}
	panic("world: no mechanism of class " + class)
}

func plainLegacy(m probertest.Mechanism) probertest.Server {
	return probertest.Server{Revisions: legacy, UnknownTool: m}
}

// failing is a server that would be a good one, but for that fault.
func failing(fault string) probertest.Server {
	return probertest.Server{Revisions: legacy, UnknownTool: isError}.WithFault(fault)
}

// kinds returns the table, good and bad mixed, so that a small world has both.
func kinds() []kind {
	return []kind{
		{name: "legacy_session", server: probertest.Server{Revisions: legacy, Sessions: true, UnknownTool: probertest.WrappedToolResult()}},
		{name: "modern", server: probertest.Server{Revisions: modern, UnknownTool: bad400}},
		{name: "legacy_stream", server: probertest.Server{Revisions: legacy, Sessions: true, Form: probertest.Stream, PageSize: 2, UnknownTool: isError}},
		{name: "dual", server: probertest.Server{Revisions: dual, Supported: modern, UnknownTool: probertest.UnknownToolError(-32602), ModernUnknownTool: &bad400}},
		{name: "refused", fate: keptBack, failure: wire.ConnectRefused, solo: true},
		{name: "http_sse", server: probertest.Server{Transports: sse, Revisions: legacy, UnknownTool: isError}},
		{name: "html_page", fate: answersElse, server: failing("html_page")},
		{name: "legacy_32601", server: plainLegacy(probertest.UnknownToolError(-32601))},
		{name: "unauthorized", fate: keptBack, server: failing("unauthorized_challenge")},
		{name: "dual_stream", server: probertest.Server{Revisions: dual, Form: probertest.Stream, UnknownTool: isError}},
		{name: "discover_on_legacy", server: probertest.Server{Revisions: legacy, Sessions: true, DiscoverOnLegacy: true, UnknownTool: probertest.UnknownToolError(-32602)}},
		{name: "redirect_same_host", server: failing("redirect_same_host"), solo: true},
		{name: "legacy_2025-06-18", server: probertest.Server{Revisions: []string{"2025-06-18"}, UnknownTool: probertest.UnknownToolError(-32602)}},
		{name: "tools_null", server: failing("tools_null"), noList: "tools_null"},
		{name: "legacy_noisy", server: probertest.Server{Revisions: legacy, Form: probertest.NoisyStream, UnknownTool: isError}},
		{name: "reset", fate: keptBack, failure: wire.HTTPReset, server: failing("reset"), solo: true},
		{name: "legacy_32603", server: plainLegacy(probertest.UnknownToolError(-32603))},
		{name: "modern_stream", server: probertest.Server{Revisions: modern, Form: probertest.Stream, PageSize: 3, UnknownTool: probertest.UnknownToolError(-32602)}},
		{name: "success_text", server: plainLegacy(mechanism("success_flagless_error_text"))},
		{name: "not_found", fate: answersElse, server: failing("not_found")},
		{name: "no_tools", server: plainLegacy(probertest.UnknownToolError(-32602)), bare: true},
		{name: "rate_limited_once", server: failing("rate_limited_once"), solo: true, counts: true},
		{name: "legacy_2025-03-26", server: probertest.Server{Revisions: []string{"2025-03-26"}, UnknownTool: isError}},
		{name: "double_envelope", fate: answersElse, server: failing("double_envelope")},
		{name: "open_stream", server: probertest.Server{Revisions: legacy, Form: probertest.OpenStream, UnknownTool: isError}},
		{name: "app_code", server: plainLegacy(probertest.UnknownToolError(404))},
		{name: "forbidden", fate: keptBack, server: failing("forbidden")},
		{name: "resumed", server: probertest.Server{Revisions: legacy, Form: probertest.ResumedStream, UnknownTool: isError}},
		{name: "empty", fate: answersElse, server: failing("empty")},
		{name: "success_empty", server: plainLegacy(mechanism("success_empty"))},
		{name: "cursor_same", server: probertest.Server{Revisions: legacy, Paging: probertest.SameCursor, UnknownTool: isError}, endless: true},
		{name: "unavailable", fate: keptBack, server: failing("unavailable"), solo: true},
		{name: "http_500_call", server: plainLegacy(mechanism("http_5xx_no_rpc"))},
		{name: "redirect_cross_host", fate: keptBack, server: failing("redirect_cross_host"), solo: true},
		{name: "malformed_result", server: plainLegacy(mechanism("malformed_result"))},
		{name: "cursor_null", server: probertest.Server{Revisions: dual, PageSize: 2, Paging: probertest.NullAtEnd, UnknownTool: isError}},
		{name: "initialize_error", fate: answersElse, server: failing("initialize_error")},
		{name: "list_error", server: failing("list_error"), noList: "jsonrpc_error"},
		{name: "legacy_code", server: plainLegacy(probertest.UnknownToolError(-32001))},
		{name: "payment_required", fate: keptBack, server: failing("payment_required")},
		{name: "http_sse_2024", server: probertest.Server{Transports: sse, Revisions: []string{"2024-11-05"}, UnknownTool: probertest.UnknownToolError(-32602)}},
		{name: "invalid_json", fate: answersElse, server: failing("invalid_json")},
		{name: "hang", fate: keptBack, failure: wire.HTTPTimeoutHeader, server: failing("hang"), solo: true, slow: true},
		{name: "hang_in_body", fate: keptBack, server: failing("hang_in_body"), solo: true, slow: true},
		{name: "endless_body", fate: answersElse, server: failing("endless_body"), solo: true, slow: true},
		{name: "call_hangs", server: plainLegacy(mechanism("timeout")), solo: true, slow: true},
	}
}
