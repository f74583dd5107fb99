package check_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier/check"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

const address = "https://user:pw@quirk.example/mcp?api_key=sesame"

func dual() *golden.Session {
	return new(golden.Session).
		Discover(golden.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private",
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"quirk","version":"1.0"}}}`)).
		List(wire.Modern, 1, golden.Result(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[
			{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]}`)).
		Call(wire.Modern, golden.RPCError(400, `{"code":-32602,"message":"x"}`)).
		Initialize(golden.Initialized()).
		List(wire.Legacy, 1, golden.Result(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`)).
		Call(wire.Legacy, golden.Result(`{"content":[],"isError":true}`))
}

func legacy(list golden.Response) *golden.Session {
	return new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()).List(wire.Legacy, 1, list)
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	withoutTools := golden.Result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
	next := golden.Result(`{"tools":[],"nextCursor":"x"}`)
	for _, tc := range []struct {
		name    string
		s       *golden.Session
		verdict check.Verdict
		why     string
	}{
		{"dual", dual(), check.OK, ""},
		{"no tools declared", new(golden.Session).Initialize(withoutTools), check.OK, ""},
		{"tools null", legacy(golden.Result(`{"tools":null}`)), check.Broken, ""},
		{"broken handshake", new(golden.Session).Initialize(golden.Result(`{}`)), check.Broken, ""},
		{"list kept back", legacy(golden.Response{Status: 401}), check.Unknown, "auth_required"},
		{"list is an error", legacy(golden.RPCError(200, `{"code":-32603,"message":"x"}`)), check.Unknown, "no_list"},
		{"page missing", legacy(next).List(wire.Legacy, 2, golden.Fails(wire.HTTPReset)), check.Unknown, "list_incomplete"},
		{"kept back", new(golden.Session).Discover(golden.Response{Status: 401}).Initialize(golden.Response{Status: 401}), check.Unknown, "auth_required"},
		{"dead", new(golden.Session).Discover(golden.Fails(wire.ConnectRefused)), check.Unknown, "connect.refused"},
		{"a web site", new(golden.Session).Discover(golden.HTML(200)).Initialize(golden.HTML(200)), check.Unknown, "no_handshake"},
		{"an error", new(golden.Session).Initialize(golden.RPCError(200, `{"code":-32603,"message":"x"}`)), check.Unknown, "no_handshake"},
		{"nothing sent", new(golden.Session).Ends(wire.EndedInterrupted), check.Unknown, "interrupted"},
	} {
		got := check.Of(address, tc.s.Transcript())
		if got.Verdict != tc.verdict || got.Why != tc.why {
			t.Errorf("%s: %s %q, want %s %q", tc.name, got.Verdict, got.Why, tc.verdict, tc.why)
		}
		if (got.Verdict == check.Broken) != (len(got.Broken) > 0) {
			t.Errorf("%s: %s with %d broken rules", tc.name, got.Verdict, len(got.Broken))
		}
	}
}

func written(t *testing.T, r check.Result) (text, coded string) {
	t.Helper()
	var a, b bytes.Buffer
	if err := r.WriteText(&a); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		s    *golden.Session
		want string
	}{
		{"good", dual(), `https://REDACTED@quirk.example/mcp?api_key=REDACTED

server        quirk 1.0
modern        2026-07-28 over streamable-http
legacy        2025-11-25 over streamable-http
tools         2 tools on 1 page, 1 with an outputSchema
unknown tool  modern: protocol_-32602, HTTP 400
unknown tool  legacy: tool_error, HTTP 200

nothing broken
`},
		{"broken", legacy(golden.Result(`{"tools":[{"name":"a"},{"name":"\u001b[31mb"}]}`)), `https://REDACTED@quirk.example/mcp?api_key=REDACTED

server        x 1
modern        not spoken (http_404)
legacy        2025-11-25 over streamable-http
tools         2 tools on 1 page, 0 with an outputSchema
unknown tool  legacy: could not tell: not_asked

broken:
  conformance.tool_entry: Is every tool an object with a name and an inputSchema of type object? No.
    input_schema_absent: tool "a": inputSchema is absent (exchange 3: legacy list_tools, HTTP 200)
    input_schema_absent: tool "\x1b[31mb": inputSchema is absent (exchange 3: legacy list_tools, HTTP 200)
    rule: schema, Tool (every revision); 2026-07-28 server/tools, Tool: inputSchema MUST be a valid JSON Schema object
`},
		{"unknown", new(golden.Session).Discover(golden.Response{Status: 401}).Initialize(golden.Response{Status: 401}), `https://REDACTED@quirk.example/mcp?api_key=REDACTED

server        not given
modern        could not tell: the server asks for authorization (auth_required)
legacy        could not tell: the server asks for authorization (auth_required)
tools         no list (auth_required)

could not tell: the server asks for authorization (auth_required)
`},
	} {
		text, _ := written(t, check.Of(address, tc.s.Transcript()))
		if d := cmp.Diff(tc.want, text); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// Nothing from the wire may move the cursor, colour the terminal or turn the direction of writing.
func TestHarmless(t *testing.T) {
	t.Parallel()
	nasty := "\\u001b[2J\\u009b1m\\u202e\\u0007\\u0000\\r\\n\u009b\u202e\u200b\x7f"
	text, coded := written(t, check.Of(address, new(golden.Session).
		Initialize(golden.Result(`{"protocolVersion":"`+nasty+`","capabilities":{"tools":{}},"serverInfo":{"name":"`+nasty+`","version":"`+nasty+`"}}`)).
		List(wire.Legacy, 1, golden.Result(`{"tools":[{"name":"`+nasty+`"}]}`)).Transcript()))
	for name, out := range map[string]string{"text": text, "json": coded} {
		if !strings.Contains(out, "2J") {
			t.Fatalf("%s does not show the name of the server: %s", name, out)
		}
		for _, c := range out {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Fatalf("%s holds %U", name, c)
			}
		}
	}
	var back check.Result
	if err := json.Unmarshal([]byte(coded), &back); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(back.Server.Name, "\u202e") {
		t.Errorf("the name was changed, not escaped: %q", back.Server.Name)
	}
}

// The JSON form is published: its members, their order and their words are compared byte for byte. Run with -update to
// write it anew.
func TestGoldenJSON(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*golden.Session{
		"ok": dual(), "broken": legacy(golden.Result(`{"tools":[{"name":"a"}]}`)), "unknown": new(golden.Session).Discover(golden.Response{Status: 401}),
	} {
		_, got := written(t, check.Of(address, s.Transcript()))
		path := filepath.Join("testdata", name+".json")
		if flag.Lookup("update").Value.String() == "true" { // of package golden
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	_, coded := written(t, check.Of(address, legacy(golden.Result(`{"tools":null}`)).Transcript()))
	var members []string
	decoder := json.NewDecoder(strings.NewReader(coded))
	depth := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if text, ok := token.(string); ok && depth == 1 {
			members = append(members, text)
		}
	}
	want := []string{"url", "https://REDACTED@quirk.example/mcp?api_key=REDACTED", "verdict", "broken", "server", "findings", "broken", "exchanges"}
	if d := cmp.Diff(want, members); d != "" {
		t.Error(d)
	}
	_, again := written(t, check.Of(address, legacy(golden.Result(`{"tools":null}`)).Transcript()))
	if again != coded {
		t.Error("not the same bytes twice")
	}
	if strings.Contains(coded, "sesame") || strings.Contains(coded, ": null") {
		t.Errorf("a secret, or a null: %s", coded)
	}
}
