package toollist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/toollist"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

const (
	toolA = `{"name":"a","inputSchema":{"type":"object"}}`
	toolB = `{"name":"b","inputSchema":{"type":"object"}}`
	toolC = `{"name":"c","inputSchema":{"type":"object"}}`
)

func legacy() *golden.Session {
	return new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized())
}

// pages adds one page a result.
func pages(s *golden.Session, era wire.Era, results ...string) *golden.Session {
	for i, result := range results {
		s.List(era, i+1, golden.Result(result))
	}
	return s
}

func list(result string) *golden.Session { return pages(legacy(), wire.Legacy, result) }

func page(cursor string, tools string) string {
	return `{"tools":[` + tools + `],"nextCursor":` + cursor + `}`
}

func TestToolList(t *testing.T) {
	t.Parallel()
	c := toollist.New()
	noList := func(label string) [4]string {
		return [4]string{"false " + label, "not_available no_list", "not_available no_list", "not_available no_list"}
	}
	all := func(say string) [4]string { return [4]string{say, say, say, say} }
	noTools := golden.Result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
	for _, tc := range []struct {
		name string
		s    *golden.Session
		want [4]string // parseable, complete, paginated, entries_valid
	}{
		{"one page", list(`{"tools":[` + toolA + `]}`), [4]string{"true tools_1-9", "true", "false", "true"}},
		{"empty list", list(`{"tools":[]}`), [4]string{"true tools_0", "true", "false", "not_applicable no_tools"}},
		{"null cursor", list(page("null", toolA)), [4]string{"true tools_1-9", "true", "false", "true"}},
		{"cursor is a number", list(page("2", toolA)), [4]string{"true tools_1-9", "true cursor_not_string", "false", "true"}},
		{"two pages", pages(legacy(), wire.Legacy, page(`"x"`, toolA), page("null", toolB)), [4]string{"true tools_1-9", "true", "true advancing", "true"}},
		{"empty cursor that is real", pages(legacy(), wire.Legacy, page(`""`, toolA), `{"tools":[`+toolB+`]}`), [4]string{"true tools_1-9", "true", "true advancing", "true"}},
		{"always the empty cursor, legacy", pages(legacy(), wire.Legacy, page(`""`, toolA+","+toolC), page(`""`, toolA+","+toolC)), [4]string{"true tools_1-9", "true cursor_empty", "true nonadvancing", "false name_repeated"}},
		{"empty cursor that was not followed", list(page(`""`, toolA)), [4]string{"true tools_1-9", "true cursor_empty", "true not_followed", "true"}},
		{"same page for ever", pages(legacy(), wire.Legacy, page(`"x"`, toolA), page(`"x"`, toolA)), [4]string{"true tools_unknown_total", "not_available cursor_nonadvancing", "true nonadvancing", "false name_repeated"}},
		{"fresh cursors, no new names", pages(legacy(), wire.Legacy, page(`"x"`, toolA), page(`"y"`, toolA)), [4]string{"true tools_unknown_total", "not_available cursor_nonadvancing", "true nonadvancing", "false name_repeated"}},
		{"repeated cursor", pages(legacy(), wire.Legacy, page(`"x"`, toolA), page(`"y"`, toolB), page(`"x"`, toolC)), [4]string{"true tools_unknown_total", "not_available cursor_nonadvancing", "true nonadvancing", "true"}},
		{"cap", list(page(`"x"`, toolA)), [4]string{"true tools_unknown_total", "false page_cap", "true not_followed", "true"}},
		{"cursor on a page without tools", list(page(`"x"`, "")), [4]string{"true tools_unknown_total", "not_available cursor_nonadvancing", "true not_followed", "not_applicable no_tools"}},
		{"handshake without serverInfo", pages(new(golden.Session).Initialize(golden.Result(`{"protocolVersion":"2025-11-25","capabilities":{}}`)), wire.Legacy, page(`"x"`, toolA), page(`null`, toolB)), [4]string{"true tools_1-9", "true", "true advancing", "true"}},
		{"shortened list after a broken handshake", pages(new(golden.Session).Initialize(golden.Result(`{"capabilities":{}}`)), wire.Legacy, page(`"x"`, toolA)), all("not_available no_handshake")},
		{"budget", list(page(`"x"`, toolA)).Ends(wire.EndedBudget), [4]string{"true tools_unknown_total", "false probe_ended", "true not_followed", "true"}},
		{"second page fails", list(page(`"x"`, toolA)).List(wire.Legacy, 2, golden.Fails(wire.HTTPReset)), [4]string{"true tools_unknown_total", "false page_failed", "true not_followed", "true"}},
		{"second page at the second try", list(page(`"x"`, toolA)).List(wire.Legacy, 2, golden.Fails(wire.HTTPReset)).List(wire.Legacy, 2, golden.Result(`{"tools":[`+toolB+`]}`)), [4]string{"true tools_1-9", "true", "true advancing", "true"}},

		{"null", list(`{"tools":null}`), noList("tools_null")},
		{"absent", list(`{}`), noList("tools_absent")},
		{"other spelling", list(`{"Tools":[` + toolA + `]}`), noList("tools_absent")},
		{"object", list(`{"tools":{"a":` + toolA + `}}`), noList("tools_not_array")},
		{"result is an array", list(`[` + toolA + `]`), noList("result_not_object")},
		{"nested", list(`{"jsonrpc":"2.0","id":2,"result":{"tools":[` + toolA + `]}}`), noList("nested_envelope")},
		{"error", legacy().List(wire.Legacy, 1, golden.RPCError(200, `{"code":-32603,"message":"x"}`)), noList("jsonrpc_error")},
		{"the word error in a schema", list(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"error":{"type":"string"}}}}]}`), [4]string{"true tools_1-9", "true", "false", "true"}},
		{"page", legacy().List(wire.Legacy, 1, golden.HTML(200)), noList("html")},
		{"accepted and nothing more", legacy().List(wire.Legacy, 1, golden.Response{Status: 202}), noList("empty")},
		{"404", legacy().List(wire.Legacy, 1, golden.Response{Status: 404}), noList("http_404")},
		{"NaN", list(`{"tools":[],"x":NaN}`), noList("not_json")},
		{"tools twice", list(`{"tools":[],"tools":[` + toolA + `]}`), all("not_supported duplicate_key")},
		{"case variant of tools", list(`{"tools":[` + toolA + `],"TOOLS":[]}`), [4]string{"true tools_1-9", "true", "false", "true"}},
		{"tools with a NUL", list(`{"tools\u0000":[],"tools":[` + toolA + `]}`), [4]string{"true tools_1-9", "true", "false", "true"}},

		{"null entry", list(`{"tools":[` + toolA + `,null,` + toolB + `]}`), [4]string{"true tools_1-9", "true", "false", "false entry_malformed"}},
		{"same name twice", list(`{"tools":[` + toolA + `,` + toolA + `]}`), [4]string{"true tools_1-9", "true", "false", "false name_repeated"}},
		{"odd schema", list(`{"tools":[{"name":"a","inputSchema":{"anyOf":[]}}]}`), [4]string{"true tools_1-9", "true", "false", "false tool_malformed"}},

		{"401", legacy().List(wire.Legacy, 1, golden.Response{Status: 401}), all("not_available auth_required")},
		{"timeout", legacy().List(wire.Legacy, 1, golden.Fails(wire.HTTPTimeoutHeader)), all("not_available http.timeout_header")},
		{"not asked", legacy(), all("not_available not_asked")},
		{"deadline", legacy().Ends(wire.EndedDeadline), all("not_available deadline")},
		{"no handshake", new(golden.Session).Discover(golden.NotFound()).Initialize(golden.NotFound()), all("not_available no_handshake")},
		{"list after a broken handshake", pages(new(golden.Session).Initialize(golden.Result(`{"capabilities":{}}`)), wire.Legacy, `{"tools":[`+toolA+`]}`), all("not_available no_handshake")},
		{"refused", new(golden.Session).Discover(golden.Fails(wire.ConnectRefused)), all("not_available connect.refused")},
		{"no tools declared, not asked", new(golden.Session).Initialize(noTools), all("not_applicable no_tools_capability")},
		{"no tools declared, refused", new(golden.Session).Initialize(noTools).List(wire.Legacy, 1, golden.RPCError(200, `{"code":-32601,"message":"x"}`)), all("not_applicable no_tools_capability")},
		{"no tools declared, given", pages(new(golden.Session).Initialize(noTools), wire.Legacy, `{"tools":[`+toolA+`]}`), [4]string{"true tools_1-9", "true", "false", "true"}},

		{"modern before legacy", pages(pages(new(golden.Session).Discover(golden.Discovered()).Initialize(golden.Initialized()), wire.Modern, `{"tools":[]}`), wire.Legacy, `{"tools":[`+toolA+`]}`), [4]string{"true tools_0", "true", "false", "not_applicable no_tools"}},
		{"legacy where modern gave none", pages(pages(new(golden.Session).Discover(golden.Discovered()).Initialize(golden.Initialized()), wire.Modern, `{}`), wire.Legacy, `{"tools":[`+toolA+`]}`), [4]string{"true tools_1-9", "true", "false", "true"}},
		{"modern, always the empty cursor", pages(new(golden.Session).Discover(golden.Discovered()), wire.Modern, page(`""`, toolA), page(`""`, toolA)), [4]string{"true tools_unknown_total", "not_available cursor_nonadvancing", "true nonadvancing", "false name_repeated"}},
	} {
		got := golden.Findings(t, c, tc.s)
		var say [4]string
		for i, q := range []string{"parseable", "complete", "paginated", "entries_valid"} {
			say[i] = golden.Say(got["tool_list."+q])
		}
		if d := cmp.Diff(tc.want, say); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Run(t, toollist.New())
}
