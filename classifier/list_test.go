package classifier_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func listed(tools string) classifier.List {
	s := new(golden.Session).Initialize(golden.Initialized()).List(wire.Legacy, 1, golden.Result(`{"tools":[`+tools+`]}`))
	return classifier.ListOfRecord(s.Transcript())
}

func TestListNames(t *testing.T) {
	t.Parallel()
	var entries []string
	names := []string{"查询", "创建", "Create CIFS Share", "create.cifs/share", "dup", "dup", "", "e\u0301", "\u00e9", strings.Repeat("x", 5000), `nul\u0000name`, "\xb0\xa1"}
	for _, name := range names {
		entries = append(entries, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	l := listed(strings.Join(entries, ","))
	if len(l.Tools) != 11 || l.Repeated != 1 || l.Malformed != 0 {
		t.Fatalf("%d tools, %d repeated, %d malformed", len(l.Tools), l.Repeated, l.Malformed)
	}
	for i, tool := range l.Tools {
		if tool.Position != i+1 || !tool.WellFormed || tool.Seq != 2 {
			t.Errorf("tool %q: position %d, well formed %v, seq %d", tool.Name, tool.Position, tool.WellFormed, tool.Seq)
		}
	}
	if nul := l.Tools[9]; nul.Name != "nul\uFFFDname" || string(nul.RawName) != "nul\x00name" {
		t.Errorf("name with NUL: %q, raw %q", nul.Name, nul.RawName)
	}
	if bad := l.Tools[10]; bad.Name != "\uFFFD" || string(bad.RawName) != "\xb0\xa1" {
		t.Errorf("name that is not UTF-8: %q, raw %q", bad.Name, bad.RawName)
	}
}

func TestListEntries(t *testing.T) {
	t.Parallel()
	l := listed(`{"name":"a","inputSchema":{"type":"object"}},"b",7,["c"],{"inputSchema":{}},{"name":5,"inputSchema":{}}`)
	if len(l.Tools) != 1 || l.Malformed != 5 {
		t.Errorf("%d tools and %d malformed entries, want 1 and 5", len(l.Tools), l.Malformed)
	}
	for schema, want := range map[string]bool{
		`"inputSchema":{"type":"object"}`:                                        true,
		`"inputSchema":{"type":"object","properties":{"a":{}},"required":["a"]}`: true,
		`"inputSchema":{"type":"object"},"description":"x","annotations":{}`:     true,
		`"inputSchema":{"anyOf":[{"type":"object"}]}`:                            false,
		`"x":1`:                                                               false,
		`"inputSchema":null`:                                                  false,
		`"inputSchema":true`:                                                  false,
		`"inputSchema":[]`:                                                    false,
		`"inputSchema":"{\"type\":\"object\"}"`:                               false,
		`"inputSchema":{"type":"string"}`:                                     false,
		`"inputSchema":{"type":"object","required":null}`:                     false,
		`"inputSchema":{"type":"object","required":[1]}`:                      false,
		`"inputSchema":{"type":"object","properties":[]}`:                     false,
		`"inputSchema":{"type":"object","properties":{"a":1}}`:                false,
		`"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}`: false,
		`"inputSchema":{"type":"object"},"description":null`:                  false,
		`"InputSchema":{"type":"object"}`:                                     false,
		`"inputSchema":` + strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat(`}`, 5000): false,
	} {
		l := listed(`{"name":"a",` + schema + `},{"name":"b"}`)
		if len(l.Tools) != 2 {
			t.Fatalf("%.60s: %d tools, want 2", schema, len(l.Tools))
		}
		if got := l.Tools[0].WellFormed; got != want {
			t.Errorf("%.60s: well formed %v, want %v", schema, got, want)
		}
	}
}

func TestListOfRecordSession(t *testing.T) {
	t.Parallel()
	sse := golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: /m\n\n" +
		`data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}}}}` + "\n\n" +
		`data: {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}]}}` + "\n\n"}
	l := classifier.ListOfRecord(new(golden.Session).OpenStream(sse).Post(wire.StepInitialize, 0).Post(wire.StepListTools, 1).Transcript())
	got := strings.TrimSpace(fmt.Sprintln(l.Answer, l.Era, l.Revision, l.Transport, l.Pages, len(l.Tools), l.Complete))
	if want := "true legacy 2025-03-26 sse [3] 1 true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	l = classifier.ListOfRecord(new(golden.Session).Initialize(golden.Initialized()).List(wire.Legacy, 1, golden.Result(`{"tools":null}`)).Transcript())
	if l.Answer != classifier.False || l.Pages != nil || l.Tools != nil || l.Complete {
		t.Errorf("null is not an empty list: %+v", l)
	}
}

func TestWriteVerb(t *testing.T) {
	t.Parallel()
	verbs := classifier.WriteVerbs()
	if len(verbs) != 44 {
		t.Errorf("%d verbs, the rule has 44", len(verbs))
	}
	got := map[string]string{}
	want := map[string]string{
		"create_issue": "create", "create-issue": "create", "createIssue": "create", "CreateIssue": "create",
		"create": "", "created_at": "", "createissue": "", "CREATE_ISSUE": "", "recreate_issue": "", "create.issue": "",
		"put_x": "put", "input_x": "", "set-x": "set", "settings_get": "", "sendMail": "send", "get_created": "",
		"": "", "_": "", "updateÉ": "", "add_": "add",
	}
	for name := range want {
		got[name] = classifier.WriteVerb(name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
