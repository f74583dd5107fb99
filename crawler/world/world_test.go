package world

import (
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func started(t *testing.T, w *World) (*World, string) {
	t.Helper()
	url, stop, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return w, url
}

func TestDemoWorldHasEveryKind(t *testing.T) {
	t.Parallel()
	w, url := started(t, New(1, DemoSize))
	truth := w.Truth()
	seen := map[string]bool{}
	for _, e := range truth.Endpoints {
		seen[e.Kind] = true
		if len(e.Names) == 0 {
			t.Errorf("%s is declared by nobody", e.URL)
		}
	}
	hosts := map[string]int{}
	for _, e := range w.Endpoints {
		hosts[e.Address]++
	}
	for _, k := range kinds() {
		if seen[k.name] == k.slow {
			t.Errorf("kind %s is in the demo: %t", k.name, seen[k.name])
		}
	}
	for address, n := range hosts {
		if n > 3 {
			t.Errorf("%d endpoints on %s", n, address)
		}
	}
	if len(hosts) < 20 || len(hosts) == len(w.Endpoints) {
		t.Errorf("%d hosts for %d endpoints", len(hosts), len(w.Endpoints))
	}
	if truth.Rows < 60 || truth.Deleted != 2 || truth.Deprecated != 1 || truth.Templates != 1 || truth.Invalid != 2 || truth.Spellings <= len(truth.Endpoints) {
		t.Errorf("%+v", truth)
	}
	res, err := http.Get(url + "/v0.1/servers?limit=100&include_deleted=true")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || strings.Count(string(body), `"server":`) != truth.Rows {
		t.Errorf("the registry lists %d rows of %d, %v", strings.Count(string(body), `"server":`), truth.Rows, err)
	}
}

func TestSameSeedSameWorld(t *testing.T) {
	t.Parallel()
	portless := func(seed uint64) []EndpointTruth {
		w, _ := started(t, New(seed, DemoSize))
		truth := w.Truth()
		for i, e := range w.Endpoints {
			truth.Endpoints[i].URL = strings.ReplaceAll(truth.Endpoints[i].URL, e.Address, "")
		}
		return truth.Endpoints
	}
	if !reflect.DeepEqual(portless(7), portless(7)) {
		t.Error("the same seed gives another world")
	}
	if reflect.DeepEqual(portless(7), portless(8)) {
		t.Error("another seed gives the same world")
	}
}

func TestEveryEndpointHasOneFindingAQuestion(t *testing.T) {
	t.Parallel()
	w := New(3, 100)
	w.Slow, w.Private = true, true
	started(t, w)
	truth := w.Truth()
	var questions []string
	for _, c := range truth.Counts {
		questions = append(questions, c.Question)
	}
	for _, e := range truth.Endpoints {
		seen := map[string]int{}
		for _, f := range e.Findings {
			seen[f.Question+" "+f.Tool]++
			if f.Label != "" && (f.Answer == notAvailable || f.Answer == notApplicable) {
				t.Errorf("%s: %+v has a label", e.Kind, f)
			}
		}
		for question, n := range seen {
			if n != 1 {
				t.Errorf("%s answers %s %d times", e.Kind, question, n)
			}
		}
		for _, q := range questions {
			ofTools := strings.HasPrefix(q, "write_tool.") || strings.HasPrefix(q, "output_schema.declared")
			if !ofTools && seen[q+" "] != 1 {
				t.Errorf("%s does not answer %s", e.Kind, q)
			}
		}
	}
	for _, c := range truth.Counts {
		total := 0
		for _, n := range c.Answers {
			total += n
		}
		if !strings.Contains(c.Question, "tool.") && !strings.HasPrefix(c.Question, "output_schema.declared") && total != len(truth.Endpoints) {
			t.Errorf("%s is answered %d times for %d endpoints", c.Question, total, len(truth.Endpoints))
		}
	}
}

// TestServersAreAsDeclared asks some endpoints by hand, so that the truth is not only consistent with itself.
func TestServersAreAsDeclared(t *testing.T) {
	t.Parallel()
	w, _ := started(t, New(1, DemoSize))
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, e := range w.Endpoints {
		if e.Type != wire.StreamableHTTP || e.Kind == "rate_limited_once" || strings.HasPrefix(e.Kind, "redirect") || e.Kind == "open_stream" {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		answered := err == nil
		if answered != (e.kind.failure == "") {
			t.Errorf("%s: %v, want failure %q", e.Kind, err, e.kind.failure)
		}
		if !answered {
			continue
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		completed := res.StatusCode == 200 && strings.Contains(string(got), `"id":1,"result":{"protocolVersion"`) && !strings.Contains(string(got), `"result":{"jsonrpc"`)
		if completed != e.speaks(wire.Legacy) {
			t.Errorf("%s: %d %s, want legacy: %t", e.Kind, res.StatusCode, got, e.speaks(wire.Legacy))
		}
		if e.Handler != nil && len(e.Handler.Log()) != 1 {
			t.Errorf("%s logged %d requests", e.Kind, len(e.Handler.Log()))
		}
	}
	origin := "http://" + w.Endpoints[0].Address
	res, err := http.Get(origin + "/robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("robots.txt: %s", res.Status)
	}
}

func TestRespelledURLsDiffer(t *testing.T) {
	t.Parallel()
	const url = "http://127.1.0.1:80/mcp"
	var all []string
	for n := range 4 {
		all = append(all, respell(n, url))
	}
	want := []string{"HTTP://127.1.0.1:80/mcp", url + "#readme", url + " ", "http://127.1.0.1:80/%6Dcp"}
	if !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
}

func TestAWorldStartsOnce(t *testing.T) {
	t.Parallel()
	w, _ := started(t, New(1, 3))
	if _, _, err := w.Start(t.Context()); err == nil {
		t.Error("it started twice")
	}
}
