package suite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/golden"
	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestDefinitions(t *testing.T) {
	t.Parallel()
	names, ids := map[string]bool{}, map[string]bool{}
	for _, c := range suite.All() { // a def.yml that is not valid panics here
		if names[c.Name] {
			t.Errorf("the name %s is used twice", c.Name)
		}
		names[c.Name] = true
		for _, q := range c.Questions {
			if ids[q.ID] {
				t.Errorf("the question %s is asked twice", q.ID)
			}
			ids[q.ID] = true
		}
		if !slices.Contains(c.Reads, wire.StepOpenStream) {
			t.Errorf("%s does not read open_stream, where HTTP+SSE has its answers", c.Name)
		}
	}
}

// A visit without exchanges keeps its cause: it is missing by our decision, or an error of ours, and never a verdict.
func TestVisitWithoutExchanges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*wire.Transcript)
		answer classifier.Answer
		reason string
	}{
		"robots":    {func(x *wire.Transcript) { x.Unvisited = wire.PolicyRobots }, classifier.NotAvailable, "policy.robots"},
		"budget":    {func(x *wire.Transcript) { x.Unvisited = wire.PolicyBudget }, classifier.NotAvailable, "policy.budget"},
		"own fault": {func(x *wire.Transcript) { x.Fault = "no resolver" }, classifier.Error, "own_fault"},
	} {
		nothing, x := new(golden.Session).Transcript(), new(golden.Session).Transcript()
		tc.change(x)
		for _, c := range suite.All() {
			var want []classifier.Finding
			for _, q := range c.Questions {
				if q.Unit == classifier.UnitEndpoint {
					want = append(want, classifier.Finding{Question: q.ID, Answer: tc.answer, Reason: tc.reason})
				}
			}
			slices.SortFunc(want, func(a, b classifier.Finding) int { return strings.Compare(a.Question, b.Question) })
			if d := cmp.Diff(want, classifier.Run(c, x)); d != "" {
				t.Errorf("%s: %s: %s", name, c.Name, d)
			}
			if classifier.EvidenceHash(c, x) == classifier.EvidenceHash(c, nothing) {
				t.Errorf("%s: the evidence hash of %s does not cover it", name, c.Name)
			}
		}
	}
}

// Whatever a server sends, every classifier keeps to its definition, twice gives the same, and looks at nothing beyond
// what its evidence hash covers.
func FuzzSuite(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","outputSchema":{}},null],"nextCursor":""}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}],"isError":true,"isError":false}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1e2,"data":{"retryAfterMs":1}}}`,
		"data: {\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"tools\":[{\"name\":\"\xff\\u0000\"}]}}\n\n",
		`[{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}]`,
		`<html>`, ``, `NaN`,
	} {
		f.Add(uint16(200), "application/json", []byte(body), []byte(body))
		f.Add(uint16(103), "text/html", []byte(body), []byte(body))
		f.Add(uint16(404), "text/event-stream", []byte(body), []byte(body))
	}
	all := suite.All()
	f.Fuzz(func(t *testing.T, status uint16, contentType string, handshake, answer []byte) {
		second := golden.Response{Status: int(status % 600), Type: contentType, Body: string(answer)}
		for _, first := range []golden.Response{golden.Initialized(), {Status: int(status % 600), Type: contentType, Body: string(handshake)}} {
			s := new(golden.Session).Discover(golden.Response{Type: contentType, Body: string(handshake)}).Initialize(first).
				List(wire.Modern, 1, second).List(wire.Legacy, 1, second).List(wire.Legacy, 2, second).
				Call(wire.Modern, second).Call(wire.Legacy, second)
			for _, c := range all {
				transcript := s.Transcript()
				findings := c.Classify(transcript)
				if err := classifier.Check(c, transcript, findings); err != nil {
					t.Fatal(err)
				}
				again := s.Transcript()
				dropUnread(c, again)
				if classifier.EvidenceHash(c, again) != classifier.EvidenceHash(c, transcript) {
					t.Fatalf("%s: the hash covers what it says is not read", c.Name)
				}
				if d := cmp.Diff(classifier.Run(c, transcript), classifier.Run(c, again)); d != "" {
					t.Fatalf("%s: the findings depend on what is not read: %s", c.Name, d)
				}
			}
		}
	})
}

// dropUnread blanks the exchanges that the classifier says it does not read. Their number and status stay: the outcome
// of the visit is read by all.
func dropUnread(c classifier.Classifier, t *wire.Transcript) {
	for i := range t.Exchanges {
		if e := &t.Exchanges[i]; !slices.Contains(c.Reads, e.Step) {
			e.Body, e.ResponseHeader = nil, nil
		}
	}
}
