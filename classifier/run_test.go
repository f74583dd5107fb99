package classifier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// definition has one question about the endpoint and one about tools.
func definition() classifier.Definition {
	return classifier.Definition{
		Name: "x", Version: 1, Reads: []wire.Step{wire.StepInitialize, wire.StepListTools},
		Questions: []classifier.Question{
			{ID: "x.endpoint", Unit: classifier.UnitEndpoint, Labels: []string{"a"}, Reasons: []string{"r"}},
			{ID: "x.tool", Unit: classifier.UnitTool},
		},
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	transcript := new(golden.Session).Initialize(golden.Initialized()).
		List(wire.Legacy, 1, golden.Result(`{"tools":[{"name":"p"},{"name":"q"}]}`)).Transcript()
	endpoint := classifier.Finding{Question: "x.endpoint", Answer: classifier.True, Label: "a", Evidence: []int{1, 2}}
	p := classifier.Finding{Question: "x.tool", Tool: 1, ToolName: "p", Answer: classifier.False}
	q := classifier.Finding{Question: "x.tool", Tool: 2, ToolName: "q", Answer: classifier.False}
	with := func(change func(*classifier.Finding)) []classifier.Finding {
		f := endpoint
		change(&f)
		return []classifier.Finding{f, p, q}
	}
	failed := func(reason string) []classifier.Finding {
		return []classifier.Finding{
			{Question: "x.endpoint", Answer: classifier.Error, Reason: reason},
			{Question: "x.tool", Answer: classifier.Error, Reason: reason},
		}
	}
	for _, tc := range []struct {
		name string
		give []classifier.Finding
		want []classifier.Finding
	}{
		{"good, and sorted", []classifier.Finding{q, p, endpoint}, []classifier.Finding{endpoint, p, q}},
		{"shared reason", with(func(f *classifier.Finding) {
			f.Answer, f.Label, f.Reason = classifier.NotAvailable, "", "auth_required"
		}), []classifier.Finding{{Question: "x.endpoint", Answer: classifier.NotAvailable, Reason: "auth_required", Evidence: []int{1, 2}}, p, q}},
		{"missing", []classifier.Finding{p, q}, failed("inconsistent")},
		{"twice", []classifier.Finding{endpoint, endpoint, p, q}, failed("inconsistent")},
		{"a tool is missing", []classifier.Finding{endpoint, p}, failed("inconsistent")},
		{"a tool twice", []classifier.Finding{endpoint, p, p}, failed("inconsistent")},
		{"other name", []classifier.Finding{endpoint, p, {Question: "x.tool", Tool: 2, ToolName: "r", Answer: classifier.False}}, failed("inconsistent")},
		{"unknown question", []classifier.Finding{endpoint, p, q, {Question: "x.y", Answer: classifier.True}}, failed("inconsistent")},
		{"unknown label", with(func(f *classifier.Finding) { f.Label = "b" }), failed("inconsistent")},
		{"unknown reason", with(func(f *classifier.Finding) { f.Answer, f.Reason = classifier.NotAvailable, "s" }), failed("inconsistent")},
		{"no reason", with(func(f *classifier.Finding) { f.Answer = classifier.NotAvailable }), failed("inconsistent")},
		{"reason for true", with(func(f *classifier.Finding) { f.Reason = "r" }), failed("inconsistent")},
		{"unknown answer", with(func(f *classifier.Finding) { f.Answer = "maybe" }), failed("inconsistent")},
		{"evidence that does not exist", with(func(f *classifier.Finding) { f.Evidence = []int{3} }), failed("inconsistent")},
		{"evidence out of order", with(func(f *classifier.Finding) { f.Evidence = []int{2, 1} }), failed("inconsistent")},
		{"not UTF-8", with(func(f *classifier.Finding) { f.Label = "\xff" }), failed("inconsistent")},
	} {
		c := classifier.Classifier{Definition: definition(), Classify: func(*wire.Transcript) []classifier.Finding { return tc.give }}
		if d := cmp.Diff(tc.want, classifier.Run(c, transcript)); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
	c := classifier.Classifier{Definition: definition(), Classify: func(*wire.Transcript) []classifier.Finding { panic("boom") }}
	if d := cmp.Diff(failed("panic"), classifier.Run(c, transcript)); d != "" {
		t.Errorf("panic: %s", d)
	}
}

func TestEvidenceHash(t *testing.T) {
	t.Parallel()
	base := func() *wire.Transcript {
		return new(golden.Session).Discover(golden.NotFound()).Initialize(golden.Initialized()).
			List(wire.Legacy, 1, golden.Result(`{"tools":[]}`)).Call(wire.Legacy, golden.NotFound()).Transcript()
	}
	c := classifier.Classifier{Definition: definition()}
	want := classifier.EvidenceHash(c, base())
	for name, change := range map[string]func(*wire.Transcript){
		"times and addresses": func(x *wire.Transcript) {
			x.Started = x.Started.AddDate(1, 0, 0)
			x.Exchanges[1].Duration, x.Exchanges[1].RemoteAddr, x.Exchanges[1].URL = 5, "192.0.2.1:443", "https://other.example/"
		},
		"session id": func(x *wire.Transcript) {
			x.Exchanges[1].ResponseHeader = append(x.Exchanges[1].ResponseHeader, wire.Field{Name: "Mcp-Session-Id", Value: "s"})
			x.Exchanges[2].RequestHeader = wire.Header{{Name: "Mcp-Session-Id", Value: "s"}}
		},
		"charset":             func(x *wire.Transcript) { x.Exchanges[1].ResponseHeader[0].Value = "Application/JSON; charset=utf-8" },
		"client version":      func(x *wire.Transcript) { x.Exchanges[1].RequestBody = append(x.Exchanges[1].RequestBody, ' ') },
		"step that is unread": func(x *wire.Transcript) { x.Exchanges[3].Body = []byte("else") },
		"target":              func(x *wire.Transcript) { x.Target, x.UnknownTool = "https://b.example/", "census_no_such_tool_1" },
	} {
		x := base()
		change(x)
		if classifier.EvidenceHash(c, x) != want {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, change := range map[string]func(*wire.Transcript){
		"answer": func(x *wire.Transcript) {
			x.Exchanges[2].Body = []byte(`{"jsonrpc":"2.0","id":2,"result":{"tools":null}}`)
		},
		"status":     func(x *wire.Transcript) { x.Exchanges[2].Status = 201 },
		"failure":    func(x *wire.Transcript) { x.Exchanges[2].Failure = wire.HTTPReset },
		"media type": func(x *wire.Transcript) { x.Exchanges[2].ResponseHeader[0].Value = "text/plain" },
		"page":       func(x *wire.Transcript) { x.Exchanges[2].Page = 2 },
		"era":        func(x *wire.Transcript) { x.Exchanges[2].Era = wire.Modern },
		"end":        func(x *wire.Transcript) { x.Ended = wire.EndedBudget },
		"declared":   func(x *wire.Transcript) { x.Declared = append(x.Declared, wire.HTTPSSE) },
		"offer": func(x *wire.Transcript) {
			x.Exchanges[1].RequestBody = []byte(`{"params":{"protocolVersion":"2024-11-05"}}`)
		},
		"content without an answer": func(x *wire.Transcript) { x.Exchanges[2].Body = []byte(`{"a":1}`) },
	} {
		x := base()
		change(x)
		if classifier.EvidenceHash(c, x) == want {
			t.Errorf("%s does not change the hash", name)
		}
	}
}

// The endpoint event of HTTP+SSE holds a session id.
func TestEvidenceHashOfStream(t *testing.T) {
	t.Parallel()
	c := classifier.Classifier{Definition: definition()}
	c.Reads = append(c.Reads, wire.StepOpenStream)
	hash := func(session, revision string) [32]byte {
		return classifier.EvidenceHash(c, new(golden.Session).OpenStream(golden.Response{Status: 200, Type: "text/event-stream", Body: "event: endpoint\ndata: /m?sessionId=" + session + "\n\n" +
			`data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + revision + `","capabilities":{}}}` + "\n\n"}).Post(wire.StepInitialize, 0).Transcript())
	}
	if hash("1", "2025-11-25") != hash("2", "2025-11-25") {
		t.Error("the session id changes the hash")
	}
	if hash("1", "2025-11-25") == hash("1", "2024-11-05") {
		t.Error("the answer on the stream does not change the hash")
	}
}
