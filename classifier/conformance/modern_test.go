package conformance_test

import (
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestModernRules(t *testing.T) {
	t.Parallel()
	const entry = `{"name":"a","inputSchema":{"type":"object"}}`
	good := modernTools(entry)
	list := func(members string) golden.Response { return golden.Result(`{"tools":[` + entry + `]` + members + `}`) }
	header := func(name string) golden.Response {
		return modernTools(`{"name":"a","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"` + name + `"}}}}`)
	}
	for _, tc := range []struct {
		rule       string
		list, call golden.Response
		want       string
	}{
		{"result_type", good, noSuchTool(), "true"},
		{"result_type", list(`,"ttlMs":0,"cacheScope":"public"`), noSuchTool(), "false result_type_absent"},
		{"result_type", list(`,"resultType":1,"ttlMs":0,"cacheScope":"public"`), noSuchTool(), "false result_type_not_text"},
		{"result_type", good, golden.Result(`{"resultType":"done","content":[]}`), "false result_type_unknown"},
		{"result_type", good, golden.Result(`{"resultType":"input_required","inputRequests":{}}`), "true"},

		{"cache_fields", good, noSuchTool(), "true"},
		{"cache_fields", list(`,"resultType":"complete","cacheScope":"public"`), noSuchTool(), "false ttl_absent"},
		{"cache_fields", list(`,"resultType":"complete","ttlMs":-1,"cacheScope":"public"`), noSuchTool(), "false ttl_value"},
		{"cache_fields", list(`,"resultType":"complete","ttlMs":1.5,"cacheScope":"public"`), noSuchTool(), "false ttl_value"},
		{"cache_fields", list(`,"resultType":"complete","ttlMs":"1","cacheScope":"public"`), noSuchTool(), "false ttl_value"},
		{"cache_fields", list(`,"resultType":"complete","ttlMs":1`), noSuchTool(), "false cache_scope"},
		{"cache_fields", list(`,"resultType":"complete","ttlMs":1,"cacheScope":"shared"`), noSuchTool(), "false cache_scope"},

		{"error_status", good, noSuchTool(), "not_applicable no_occasion"},
		{"error_status", good, golden.RPCError(200, `{"code":-32601,"message":"x"}`), "not_applicable no_occasion"},
		{"error_status", golden.RPCError(404, `{"code":-32601,"message":"x"}`), noSuchTool(), "true"},
		{"error_status", golden.RPCError(200, `{"code":-32601,"message":"x"}`), noSuchTool(), "false code_-32601"},
		{"error_status", golden.RPCError(400, `{"code":-32020,"message":"x"}`), noSuchTool(), "true"},
		{"error_status", good, golden.RPCError(200, `{"code":-32020,"message":"x"}`), "false code_-32020"},
		{"error_status", good, golden.RPCError(200, `{"code":-32021,"message":"x"}`), "false code_-32021"},
		{"error_status", good, golden.RPCError(422, `{"code":-32022,"message":"x"}`), "false code_-32022"},

		{"reserved_codes", good, noSuchTool(), "true"},
		{"reserved_codes", good, golden.RPCError(400, `{"code":-32020,"message":"x"}`), "true"},
		{"reserved_codes", good, golden.RPCError(429, `{"code":-32023,"message":"x","data":{"retryAfterMs":1}}`), "false reserved"},
		{"reserved_codes", good, golden.RPCError(200, `{"code":-32099,"message":"x"}`), "false reserved"},
		{"reserved_codes", good, golden.RPCError(200, `{"code":-32002,"message":"x"}`), "false withdrawn"},
		{"reserved_codes", good, golden.RPCError(200, `{"code":-32042,"message":"x"}`), "false withdrawn"},
		{"reserved_codes", good, golden.RPCError(200, `{"code":-32001,"message":"x"}`), "true"},

		{"mcp_header", good, noSuchTool(), "not_applicable no_occasion"},
		{"mcp_header", header("Region"), noSuchTool(), "true"},
		{"mcp_header", header("a b"), noSuchTool(), "false header_not_token"},
	} {
		if got := say(t, modern(tc.list, tc.call))[tc.rule]; got != tc.want {
			t.Errorf("%s, %s %s: %q, want %q", tc.rule, tc.list.Body, tc.call.Body, got, tc.want)
		}
		// None of these is a rule of the legacy era.
		if got := say(t, legacy(tc.list, tc.call))[tc.rule]; got != "not_applicable era_not_spoken" {
			t.Errorf("%s of a legacy server: %q", tc.rule, got)
		}
	}
	pages := new(golden.Session).Discover(golden.Discovered()).
		List(wire.Modern, 1, list(`,"resultType":"complete","ttlMs":1,"cacheScope":"public","nextCursor":"x"`)).
		List(wire.Modern, 2, list(`,"resultType":"complete","ttlMs":1,"cacheScope":"private"`)).Transcript()
	if got := say(t, pages)["cache_fields"]; got != "false cache_scope_differs" {
		t.Errorf("two scopes: %q", got)
	}
}
