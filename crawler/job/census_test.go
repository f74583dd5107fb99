package job

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/classifier/rate"
	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/queries"
)

const quickGap = 5 * time.Millisecond

// census drives a new run of a world to its end.
func census(t *testing.T, o Options, s Settings) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	run, err := NewRun(ctx, o, s, GoalAll, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := Drive(ctx, o, run, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	return run
}

func startWorld(t *testing.T, w *world.World) string {
	t.Helper()
	url, stop, err := w.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

func compareWithTruth(t *testing.T, pool *pgxpool.Pool, run string, truth world.Truth) {
	t.Helper()
	counts, observed, err := Observations(context.Background(), pool, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range truth.Compare(counts, observed) {
		t.Error(d)
	}
}

// The census of a simulated world finds what is true of it, whatever the seed.
func TestCensusFindsTheTruth(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2} {
		w := world.New(seed, world.DemoSize)
		url := startWorld(t, w)
		pool := newPool(t)
		run := census(t, options(t, pool), quick(url))
		compareWithTruth(t, pool, run, w.Truth())

		r, err := Report(context.Background(), pool, run)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Walk.Unproven) > 0 || r.Walk.State != walkClosed {
			t.Errorf("the walk is %s, unproven: %v", r.Walk.State, r.Walk.Unproven)
		}
		truth := w.Truth()
		if int(r.Frame.RawAll) != truth.Spellings || int(r.Frame.Declarations) != truth.Remotes || int(r.Frame.Eligible) != len(truth.Endpoints) {
			t.Errorf("frame %+v, in truth %d spellings, %d remotes, %d endpoints", r.Frame, truth.Spellings, truth.Remotes, len(truth.Endpoints))
		}
		compareRates(t, r, truth)
		for i := 1; i < len(r.Funnel); i++ {
			if r.Funnel[i].Count > r.Funnel[i-1].Count {
				t.Errorf("the funnel widens: %+v", r.Funnel)
			}
		}
	}
}

// compareRates holds the published numbers against the truth: x of n of every question.
func compareRates(t *testing.T, r report.Report, truth world.Truth) {
	t.Helper()
	rows := map[string]rate.Row{}
	for _, row := range r.Rates {
		rows[row.ID] = row
	}
	for _, want := range truth.Counts {
		row, ok := rows[want.Question]
		x, n := int64(want.Answers["true"]), int64(want.Answers["true"]+want.Answers["false"])
		if !ok || row.Numerator.X != x || row.Denominator.N != n {
			t.Errorf("%s: %d of %d, in truth %d of %d", want.Question, row.Numerator.X, row.Denominator.N, x, n)
		}
	}
}

// A run that is classified again by the same versions changes nothing.
func TestClassifyAgainIsHarmless(t *testing.T) {
	t.Parallel()
	w := world.New(3, 20)
	url := startWorld(t, w)
	pool := newPool(t)
	o := options(t, pool)
	run := census(t, o, quick(url))
	ctx := context.Background()
	before, err := queries.New(pool).FindingsOfRun(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := Aim(ctx, pool, run, GoalAll); err != nil {
		t.Fatal(err)
	}
	if err := Drive(ctx, o, run, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	after, err := queries.New(pool).FindingsOfRun(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if len(before) == 0 || len(before) != len(after) {
		t.Fatalf("%d findings, then %d", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("finding %+v became %+v", before[i], after[i])
		}
	}
}

// Each stage can be run alone: crawl visits nobody, probe classifies nothing.
func TestStagesAlone(t *testing.T) {
	t.Parallel()
	w := world.New(4, 12)
	url := startWorld(t, w)
	pool := newPool(t)
	o := options(t, pool)
	ctx := context.Background()
	run, err := NewRun(ctx, o, quick(url), GoalFrame, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		goal             Goal
		stage            Stage
		probed, classify bool
	}{{GoalFrame, Probe, false, false}, {GoalProbe, Classify, true, false}, {GoalAll, Closed, true, true}} {
		if err := Aim(ctx, pool, run, step.goal); err != nil {
			t.Fatal(err)
		}
		if err := Drive(ctx, o, run, func(Progress) {}); err != nil {
			t.Fatal(err)
		}
		p, err := Look(ctx, o, run)
		if err != nil {
			t.Fatal(err)
		}
		if p.Stage != step.stage || (p.Probed > 0) != step.probed || (p.Classified > 0) != step.classify {
			t.Errorf("goal %s: %+v", step.goal, p)
		}
	}
	compareWithTruth(t, pool, run, w.Truth())
}

// A host that asks for a pause is visited once more after it, and the later visit counts.
func TestDeferredTargetIsVisitedAgain(t *testing.T) {
	t.Parallel()
	refuse := probertest.Step{On: "POST", Nth: 1, Reply: probertest.StatusReply(429, "Retry-After", "12")}
	server := probertest.Start(t, probertest.Server{Sessions: true, Steps: []probertest.Step{refuse}})
	registry := httptest.NewServer(world.NewRegistry([]world.Row{{
		Name: "org.example/busy", Version: "1.0.0", Status: world.Active, Latest: true,
		Server: fmt.Appendf(nil, `{"name":"org.example/busy","version":"1.0.0","remotes":[{"type":"streamable-http","url":%q}]}`, server.URL),
	}}))
	t.Cleanup(registry.Close)
	pool := newPool(t)
	run := census(t, options(t, pool), quick(registry.URL))
	var visits, deferred, done int
	err := pool.QueryRow(context.Background(), `select count(*), count(*) filter (where visit = 1 and ended = 'deferred'),
		count(*) filter (where visit = 2 and ended = 'done') from probe where run_id = $1`, run).Scan(&visits, &deferred, &done)
	if err != nil || visits != 2 || deferred != 1 || done != 1 {
		t.Errorf("%d visits, the first deferred: %d, the second done: %d (%v)", visits, deferred, done, err)
	}
	r, err := Report(context.Background(), pool, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rates {
		if row.ID == "handshake.completed" && (row.Numerator.X != 1 || row.Denominator.N != 1 || row.Frame.N != 1) {
			t.Errorf("%d of %d, frame %d: one endpoint, whatever the number of visits", row.Numerator.X, row.Denominator.N, row.Frame.N)
		}
	}
}

// The only tool that is called is one that cannot exist, unless the operator of the census allows a call by name.
func TestOnlyAllowedCalls(t *testing.T) {
	t.Parallel()
	tools := []probertest.Tool{{Name: "echo"}, {Name: "delete_everything"}}
	server := probertest.Start(t, probertest.Server{Sessions: true, Tools: tools})
	other := probertest.Start(t, probertest.Server{Sessions: true, Tools: tools})
	var rows []world.Row
	for i, url := range []string{server.URL, other.URL} {
		name := fmt.Sprintf("org.example/n%d", i)
		rows = append(rows, world.Row{Name: name, Version: "1.0.0", Status: world.Active, Latest: true,
			Server: fmt.Appendf(nil, `{"name":%q,"version":"1.0.0","remotes":[{"type":"streamable-http","url":%q}]}`, name, url)})
	}
	registry := httptest.NewServer(world.NewRegistry(rows))
	t.Cleanup(registry.Close)
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(file, fmt.Appendf(nil, "# mine\n{\"endpoint\":%q,\"tool\":\"echo\",\"arguments\":{\"text\":\"hi\"}}\n", server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	calls, err := ReadAllowedCalls(file)
	if err != nil {
		t.Fatal(err)
	}
	s := quick(registry.URL)
	s.Calls = calls
	census(t, options(t, newPool(t)), s)
	for url, want := range map[*probertest.Running]int{server: 1, other: 0} {
		allowed := 0
		for _, name := range url.Calls() {
			switch {
			case name == "echo":
				allowed++
			case !strings.HasPrefix(name, "census_no_such_tool_"):
				t.Errorf("%s was called", name)
			}
		}
		if allowed != want {
			t.Errorf("echo was called %d times, want %d", allowed, want)
		}
		if open := url.OpenSessions(); open != 0 {
			t.Errorf("%d sessions were left open", open)
		}
		if n := url.MaxConcurrent(); n != 1 {
			t.Errorf("%d requests at a time", n)
		}
	}
}
