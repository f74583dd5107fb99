package job

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
)

// registryOf serves one active row for each URL.
func registryOf(t *testing.T, urls ...string) *httptest.Server {
	t.Helper()
	var rows []world.Row
	for i, url := range urls {
		name := fmt.Sprintf("org.example/n%03d", i)
		rows = append(rows, world.Row{Name: name, Version: "1.0.0", Status: world.Active, Latest: true,
			Server: fmt.Appendf(nil, `{"name":%q,"version":"1.0.0","remotes":[{"type":"streamable-http","url":%q}]}`, name, url)})
	}
	server := httptest.NewServer(world.NewRegistry(rows))
	t.Cleanup(server.Close)
	return server
}

// A robots.txt group that names the census is obeyed, also behind a redirect; the endpoint is missing with that cause.
func TestRobots(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	mux := http.NewServeMux()
	mux.Handle("/robots.txt", http.RedirectHandler("/rules", http.StatusMovedPermanently))
	mux.HandleFunc("/rules", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /mcp/open\n\nUser-agent: mcpcensus\nDisallow: /mcp/closed\n")
	})
	open := probertest.New(probertest.Server{Path: "/mcp/open"})
	mux.Handle("/mcp/open", open)
	mux.HandleFunc("/mcp/closed", func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	pool := newPool(t)
	run := census(t, options(t, pool), quick(registryOf(t, server.URL+"/mcp/open", server.URL+"/mcp/closed?x=1").URL))
	if asked.Load() != 0 {
		t.Errorf("%d requests to an endpoint that keeps the census out", asked.Load())
	}
	r, err := Report(context.Background(), pool, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rates {
		if row.ID != "handshake.completed" {
			continue
		}
		if row.Numerator.X != 1 || row.Denominator.N != 1 || row.Frame.N != 2 || row.Frame.Missing["policy.robots"] != 1 {
			t.Errorf("%d of %d, frame %d, missing %v", row.Numerator.X, row.Denominator.N, row.Frame.N, row.Frame.Missing)
		}
	}
	if r.Ledger.Robots != 1 || r.Ledger.Visits != 1 {
		t.Errorf("%d reads of robots.txt and %d visits, want one of each", r.Ledger.Robots, r.Ledger.Visits)
	}
}

// A process works the run that it drives, and never one that an operator has stopped.
func TestAStoppedRunStaysStopped(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(failing.Close)
	pool := newPool(t)
	o := options(t, pool)
	ctx, cancel := context.WithCancel(context.Background())
	stopped, err := NewRun(ctx, o, quick(failing.URL), GoalAll, false)
	if err != nil {
		t.Fatal(err)
	}
	err = Drive(ctx, o, stopped, func(Progress) {
		if asked.Load() > 0 {
			cancel()
		}
	})
	if err == nil {
		t.Fatal("the run of a registry that fails has ended")
	}
	before := asked.Load()
	census(t, o, quick(registryOf(t, probertest.Start(t, probertest.Server{}).URL).URL))
	if asked.Load() != before {
		t.Errorf("%d requests were sent for the stopped run", asked.Load()-before)
	}
}

// Two runs that name the same host visit it one after the other.
func TestAHostHasOneOwner(t *testing.T) {
	t.Parallel()
	server := probertest.Start(t, probertest.Server{Sessions: true})
	pool := newPool(t)
	o := options(t, pool)
	var both sync.WaitGroup
	for range 2 {
		s := quick(registryOf(t, server.URL, server.URL+"?a", server.URL+"?b").URL)
		both.Go(func() { census(t, o, s) })
	}
	both.Wait()
	if n := server.MaxConcurrent(); n != 1 {
		t.Errorf("%d requests at a time", n)
	}
	sessions, asleep := map[string]bool{}, 0
	for _, r := range server.Log() { // visits do not interleave: no session is used again after another one was
		id := r.Header.Get("Mcp-Session-Id")
		if id == "" || r.HTTPMethod == http.MethodGet {
			continue
		}
		if last := len(sessions); !sessions[id] {
			sessions[id] = true
			asleep = last
		}
	}
	if len(sessions) != 6 || asleep != 5 {
		t.Errorf("%d sessions, want one for each of three endpoints in each of two runs", len(sessions))
	}
}

// A sample is called one, and drawn the same way for the same seed.
func TestSample(t *testing.T) {
	t.Parallel()
	var urls []string
	for i := range 12 {
		urls = append(urls, fmt.Sprintf("%s?n=%d", probertest.Start(t, probertest.Server{}).URL, i))
	}
	registry := registryOf(t, urls...)
	drawn := map[uint64][]string{}
	for _, seed := range []uint64{1, 1, 2} {
		pool := newPool(t)
		s := quick(registry.URL)
		s.Limit, s.Seed = 5, seed
		run := census(t, options(t, pool), s)
		r, err := Report(context.Background(), pool, run)
		if err != nil {
			t.Fatal(err)
		}
		if r.Frame.Eligible != 12 || r.Frame.Sampled != 5 {
			t.Errorf("%d eligible, %d sampled", r.Frame.Eligible, r.Frame.Sampled)
		}
		for _, row := range r.Rates {
			if row.Frame.N != 5 || row.Frame.Noun != "sampled" || !strings.Contains(row.Frame.Def, "12 eligible") {
				t.Fatalf("%s: frame %+v", row.ID, row.Frame)
			}
		}
		rows, err := pool.Query(context.Background(), `select key from target where sampled order by key`)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for rows.Next() {
			var key string
			if err := rows.Scan(&key); err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
		if before := drawn[seed]; before != nil && strings.Join(before, " ") != strings.Join(keys, " ") {
			t.Errorf("seed %d draws %v, then %v", seed, before, keys)
		}
		drawn[seed] = keys
	}
	if strings.Join(drawn[1], " ") == strings.Join(drawn[2], " ") {
		t.Error("two seeds draw the same sample")
	}
}
