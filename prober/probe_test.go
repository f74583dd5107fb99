package prober

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// rig is a prober for loopback, with a sleep that takes no time and is written down.
type rig struct {
	*Prober
	slept []time.Duration
}

func newRig() *rig {
	r := &rig{Prober: &Prober{
		Resolver: dial.NewResolver(nil), AllowPrivate: true, UserAgent: "mcpcensus-test (+https://example.com)",
		Name: "mcpcensus", Version: "0.0.0-test",
	}}
	r.Sleep = func(_ context.Context, d time.Duration) error {
		r.slept = append(r.slept, d)
		return nil
	}
	return r
}

// quick makes the time limits so short that waiting for nothing is quick.
func (r *rig) quick() *rig {
	r.Limits = Limits{Step: 600 * time.Millisecond, Header: 500 * time.Millisecond, Linger: 20 * time.Millisecond, Listen: 100 * time.Millisecond}
	return r
}

func (r *rig) probe(t *testing.T, target Target) *wire.Transcript {
	t.Helper()
	if target.Key == "" {
		target.Key = "https://example.com/mcp"
	}
	transcript, err := r.Probe(t.Context(), target, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, transcript)
	return transcript
}

// check holds for every transcript.
func check(t *testing.T, transcript *wire.Transcript) {
	t.Helper()
	for i, e := range transcript.Exchanges {
		if e.Seq != i+1 || e.Try < 1 || e.URL == "" || e.Method == "" || e.Step == "" || e.Transport == "" || e.Era == "" {
			t.Errorf("exchange %d is incomplete: %+v", i+1, e)
		}
		if e.Status == 0 && e.Failure == "" {
			t.Errorf("exchange %d has neither a status nor a failure", e.Seq)
		}
		if int64(len(e.Body)) != e.BodyLength && !e.BodyTruncated {
			t.Errorf("exchange %d keeps %d of %d bytes and does not say so", e.Seq, len(e.Body), e.BodyLength)
		}
		for _, name := range []string{"Origin", "Cookie", "Authorization", "Accept-Encoding"} {
			if _, sent := e.RequestHeader.Get(name); sent {
				t.Errorf("exchange %d sends %s", e.Seq, name)
			}
		}
	}
}

// steps renders a transcript, one word an exchange: era, step, page, try, status or failure.
func steps(transcript *wire.Transcript) string {
	var lines []string
	for _, e := range transcript.Exchanges {
		line := fmt.Sprintf("%s %s", e.Era, e.Step)
		if e.Page > 0 {
			line += fmt.Sprintf(" p%d", e.Page)
		}
		if e.Try > 1 {
			line += fmt.Sprintf(" try%d", e.Try)
		}
		if e.Status != 0 {
			line += fmt.Sprintf(" %d", e.Status)
		}
		if e.Failure != "" {
			line += " " + string(e.Failure)
		}
		if e.LeftOpen {
			line += " open"
		}
		if e.FollowsOf > 0 {
			line += fmt.Sprintf(" follows%d", e.FollowsOf)
		}
		if e.StreamOf > 0 {
			line += fmt.Sprintf(" on%d", e.StreamOf)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func wantSteps(t *testing.T, transcript *wire.Transcript, want ...string) {
	t.Helper()
	if got := steps(transcript); got != strings.Join(want, "\n") {
		t.Errorf("steps are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func exchangesOf(transcript *wire.Transcript, step wire.Step) []wire.Exchange {
	var of []wire.Exchange
	for _, e := range transcript.Exchanges {
		if e.Step == step {
			of = append(of, e)
		}
	}
	return of
}

// gateLog is a gate that counts.
type gateLog struct {
	mu       sync.Mutex
	waits    []int
	statuses []int
	pauses   []time.Duration
	budget   int // requests that may pass; 0 means any number
}

// Wait counts.
func (g *gateLog) Wait(_ context.Context, page int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.budget > 0 && len(g.waits) == g.budget {
		return fmt.Errorf("%w after %d", ErrBudget, g.budget)
	}
	g.waits = append(g.waits, page)
	return nil
}

// Observe counts.
func (g *gateLog) Observe(status int, retryAfter time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.statuses = append(g.statuses, status)
	g.pauses = append(g.pauses, retryAfter)
}

var twoTools = []probertest.Tool{{Name: "a"}, {Name: "b"}}

func TestModernServer(t *testing.T) {
	t.Parallel()
	for _, form := range []probertest.Form{probertest.JSON, probertest.Stream, probertest.NoisyStream, probertest.OpenStream} {
		server := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern}, Tools: twoTools, PageSize: 1, Form: form})
		r := newRig()
		r.Limits.Linger = 20 * time.Millisecond
		transcript := r.probe(t, Target{URL: server.URL})
		open := map[bool]string{true: " open"}[form == probertest.OpenStream]
		wantSteps(t, transcript,
			"modern discover 200"+open, "modern list_tools p1 200"+open, "modern list_tools p2 200"+open, "modern unknown_tool 200"+open,
			"legacy initialize 400")
		for _, e := range transcript.Exchanges {
			if a := transcript.Answer(e.Seq); a.Message == nil || a.IDMatch != wire.IDExact {
				t.Errorf("form %d, exchange %d has no answer", form, e.Seq)
			}
		}
		if form != probertest.OpenStream && server.MaxConcurrent() > 1 { // which the server leaves, not we
			t.Errorf("form %d: %d requests at a time", form, server.MaxConcurrent())
		}
	}
}

func TestLegacyServer(t *testing.T) {
	t.Parallel()
	for _, form := range []probertest.Form{probertest.JSON, probertest.Stream, probertest.OpenStream} {
		server := probertest.Start(t, probertest.Server{Sessions: true, Tools: twoTools, Form: form})
		r := newRig()
		r.Limits.Linger = 20 * time.Millisecond
		transcript := r.probe(t, Target{URL: server.URL})
		open := map[bool]string{true: " open"}[form == probertest.OpenStream]
		wantSteps(t, transcript,
			"modern discover 400", "legacy initialize 200"+open, "legacy initialized 202", "legacy list_tools p1 200"+open,
			"legacy unknown_tool 200"+open, "legacy delete 200")
		if n := server.OpenSessions(); n != 0 {
			t.Errorf("form %d: %d sessions left open", form, n)
		}
		if n := len(server.Calls()); n != 1 || server.Calls()[0] != transcript.UnknownTool {
			t.Errorf("form %d: calls %v", form, server.Calls())
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern, wire.OfferLegacy}, Sessions: true, Tools: twoTools})
	newRig().probe(t, Target{URL: server.URL})
	for _, r := range server.Log() {
		common := r.Header.Get("User-Agent") == "mcpcensus-test (+https://example.com)" && r.Header.Get("Accept-Encoding") == ""
		posted := r.HTTPMethod != http.MethodPost ||
			r.Header.Get("Content-Type") == "application/json" && r.Header.Get("Accept") == "application/json, text/event-stream"
		if !common || !posted {
			t.Errorf("request %d has the header %v", r.Seq, r.Header)
		}
		modern := r.Era == wire.Modern
		version := map[bool]string{true: wire.OfferModern, false: wire.OfferLegacy}[modern]
		if r.Method == "initialize" {
			version = ""
		}
		if got := r.Header.Get("Mcp-Protocol-Version"); got != version {
			t.Errorf("request %d %s: version %q, want %q", r.Seq, r.Method, got, version)
		}
		if got := r.Header.Get("Mcp-Method"); modern && got != r.Method || !modern && got != "" {
			t.Errorf("request %d %s: Mcp-Method %q", r.Seq, r.Method, got)
		}
		if got := r.Header.Get("Mcp-Name"); modern && got != r.Tool || !modern && got != "" {
			t.Errorf("request %d %s: Mcp-Name %q", r.Seq, r.Method, got)
		}
		if wantsSession := !modern && r.Method != "initialize"; wantsSession != (r.Session != "") {
			t.Errorf("request %d %s: session %q", r.Seq, r.Method, r.Session)
		}
	}
}

func TestDualEraServer(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Revisions: []string{wire.OfferModern, wire.OfferLegacy}, Supported: []string{wire.OfferModern}, Tools: twoTools})
	gate := &gateLog{}
	transcript, err := newRig().Probe(t.Context(), Target{Key: "k", URL: server.URL}, gate)
	if err != nil {
		t.Fatal(err)
	}
	wantSteps(t, transcript,
		"modern discover 200", "modern list_tools p1 200", "modern unknown_tool 200",
		"legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200", "legacy unknown_tool 200")
	if want := []int{0, 1, 0, 0, 0, 1, 0}; !slices.Equal(gate.waits, want) {
		t.Errorf("waited %v, want %v", gate.waits, want)
	}
	if len(gate.statuses) != len(gate.waits) {
		t.Errorf("%d requests, %d observed", len(gate.waits), len(gate.statuses))
	}
	if opened, _ := server.Connections(); opened != 1 {
		t.Errorf("%d connections, want 1", opened)
	}
	if transcript.Outcome() != wire.OutcomeAnswered || transcript.Ended != wire.EndedDone {
		t.Errorf("outcome %s, ended %s", transcript.Outcome(), transcript.Ended)
	}
}

// go-sdk in its default mode answers server/discover without a modern version.
func TestDiscoverOnLegacy(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{DiscoverOnLegacy: true, Tools: twoTools})
	wantSteps(t, newRig().probe(t, Target{URL: server.URL}),
		"modern discover 200", "legacy initialize 200", "legacy initialized 202", "legacy list_tools p1 200", "legacy unknown_tool 200")
}

func TestNextModernVersion(t *testing.T) {
	t.Parallel()
	const next = "2026-12-15"
	server := probertest.Start(t, probertest.Server{Steps: []probertest.Step{
		{On: "server/discover", Nth: 1, Reply: probertest.JSONReply(400, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"no","data":{"supported":["`+next+`","2025-11-25"]}}}`)},
		{On: "server/discover", Reply: probertest.JSONReply(200, `{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","supportedVersions":["`+next+`"],"capabilities":{}}}`)},
		{On: "any", Reply: probertest.JSONReply(404, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"no"}}`)},
	}})
	transcript := newRig().probe(t, Target{URL: server.URL})
	wantSteps(t, transcript, "modern discover 400", "modern discover try2 200", "modern list_tools p1 404", "modern unknown_tool 404", "legacy initialize 404")
	if v, _ := transcript.Exchanges[2].RequestHeader.Get("MCP-Protocol-Version"); v != next {
		t.Errorf("version %q", v)
	}
}

// Equal servers get equal bytes, whatever their addresses.
func TestEqualBytes(t *testing.T) {
	t.Parallel()
	description := probertest.Server{Revisions: []string{wire.OfferModern, wire.OfferLegacy}, Sessions: true, Tools: twoTools, PageSize: 1}
	first := newRig().probe(t, Target{URL: probertest.Start(t, description).URL})
	second := newRig().probe(t, Target{URL: probertest.Start(t, description).URL})
	if steps(first) != steps(second) {
		t.Fatalf("\n%s\nand\n%s", steps(first), steps(second))
	}
	ids := map[string]bool{}
	for i := range first.Exchanges {
		a, b := first.Exchanges[i], second.Exchanges[i]
		if !bytes.Equal(a.RequestBody, b.RequestBody) || !bytes.Equal(a.Body, b.Body) {
			t.Errorf("exchange %d: %s and %s", i+1, a.RequestBody, b.RequestBody)
		}
		if a.RequestID != nil && ids[string(a.RequestID)] {
			t.Errorf("id %s is used twice", a.RequestID)
		}
		ids[string(a.RequestID)] = true
	}
}

func TestUnknownToolName(t *testing.T) {
	t.Parallel()
	if got := UnknownToolName("https://example.com/mcp"); got != "census_no_such_tool_"+got[20:] || len(got) != 28 || got == UnknownToolName("https://example.org/mcp") {
		t.Errorf("got %q", got)
	}
}

func TestProbeErrors(t *testing.T) {
	t.Parallel()
	for _, target := range []Target{
		{URL: "ftp://example.org/mcp"}, {URL: "https://example.org:99999/mcp"}, {URL: "https:///mcp"}, {URL: "http://[::1"},
		{URL: "https://example.org", Calls: []Call{{Tool: "a", Arguments: []byte("[]")}}},
	} {
		if _, err := newRig().Probe(t.Context(), target, nil); err == nil {
			t.Errorf("%s: no error", target.URL)
		}
	}
	if _, err := (&Prober{}).Probe(t.Context(), Target{URL: "https://example.com"}, nil); err == nil {
		t.Error("a prober without a User-Agent visits")
	}
}
