package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func options() CrawlOptions {
	return CrawlOptions{Overlap: 30 * time.Minute, SpotChecks: 20, Seed: 7}
}

// crawled finishes a crawl and checks what holds for every one of them.
func crawled(t *testing.T, f *fake, m *memory) Proof {
	t.Helper()
	pos, err := f.client(t).Crawl(t.Context(), m, m.position(t), options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pos, m.position(t)); diff != "" {
		t.Errorf("the position that was returned is not the one that was committed: %s", diff)
	}
	if pos.Proof.Digest != pos.Proof.Replayed {
		t.Error("the archived pages do not give the stored rows")
	}
	return pos.Proof
}

func complete(t *testing.T, p Proof) {
	t.Helper()
	if ok, reasons := p.Complete(); !ok {
		t.Errorf("incomplete: %q", reasons)
	}
}

func incomplete(t *testing.T, p Proof, want string) {
	t.Helper()
	ok, reasons := p.Complete()
	if ok || !slices.ContainsFunc(reasons, func(r string) bool { return strings.HasPrefix(r, want) }) {
		t.Errorf("reasons %q, want one that begins with %q", reasons, want)
	}
}

func TestCrawlStillRegistry(t *testing.T) {
	t.Parallel()
	rows := makeRows(730)
	rows[10].status, rows[10].latest = Deleted, false
	rows[11].status = Deprecated
	f := serve(t, rows)
	m := newMemory()
	p := crawled(t, f, m)
	complete(t, p)
	if p.Digest != f.truth(t) {
		t.Error("the rows are not those of the registry")
	}
	if p.Rows != 730 || p.Statuses[Deleted] != 1 || p.Statuses[Deprecated] != 1 || p.Version != "v1.8.8" || p.API != "/v0.1" || p.Closing != ClosingDone {
		t.Errorf("proof %+v", p)
	}
	if p.Spot.Checked != 20 || p.Spot.Equal != 20 {
		t.Errorf("spot checks %+v", p.Spot)
	}
	if names := p.Names; p.Latest.Listed < names-1 || p.Latest.Stored != p.Latest.Listed {
		t.Errorf("%d names, latest %+v", names, p.Latest)
	}
	if len(p.Passes) != 3 || p.Passes[0].Pages != 8 || p.Passes[0].New != 730 || p.Passes[1].Name != "closing.1" || p.Passes[2].Name != "latest" {
		t.Errorf("passes %+v", p.Passes)
	}
}

// changes makes the registry move while it is read: each function runs before the request of that number.
func changes(f *fake, at map[int]func()) {
	n := 0
	f.intercept = func(http.ResponseWriter, *http.Request) bool {
		n++
		if change := at[n]; change != nil {
			change()
		}
		return false
	}
}

func TestCrawlMovingRegistry(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(730))
	changes(f, map[int]func(){
		// Behind the cursor, where the walk does not come again; the old latest row changes invisibly.
		4: func() { f.publish("com.example/s00000", "9.0.0"); f.publish("com.example/aaa", "1.0.0") },
		// Ahead of it.
		5: func() { f.publish("com.example/zzz", "1.0.0"); f.publish("com.example/s00360", "9.0.0") },
		// The latest is deleted behind the cursor; the promoted row does not show in updated_since.
		7: func() { f.remove("com.example/s00003"); f.remove("com.example/s00004") },
		// While the closing passes run.
		12: func() { f.publish("com.example/s00006", "9.0.0") },
	})
	m := newMemory()
	p := crawled(t, f, m)
	complete(t, p)
	if p.Digest != f.truth(t) {
		t.Error("the rows are not those of the registry")
	}
	if len(p.Passes) < 4 || p.Passes[1].New == 0 || p.Settled == 0 || len(p.Unsettled) != 0 {
		t.Errorf("passes %+v, settled %d, unsettled %q", p.Passes, p.Settled, p.Unsettled)
	}
}

// A row that the walk should have seen, but did not, and that has not changed since, must not go unnoticed.
func TestCrawlNoticesAHole(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(730))
	hidden := fakeRow{name: "com.example/s00100x", version: "1.0.0", status: Active, latest: true, updated: f.clock.Now().Add(-72 * time.Hour)}
	changes(f, map[int]func(){9: func() { f.rows = append(f.rows, hidden); f.sort() }}) // visible only after the walk passed
	p := crawled(t, f, newMemory())
	incomplete(t, p, "latest: 1 names differ")
	if diff := cmp.Diff([]string{"com.example/s00100x"}, p.Latest.Unexplained); diff != "" {
		t.Error(diff)
	}
}

func TestCrawlExplainsWhatChangedAfterClosing(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(250))
	published := false
	f.intercept = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.RequestURI, "version=latest") && !published {
			published = true
			f.publish("com.example/late", "1.0.0")
		}
		return false
	}
	p := crawled(t, f, newMemory())
	complete(t, p)
	if p.Latest.Different != 1 || p.Latest.Explained != 1 || p.Digest != f.truth(t) {
		t.Errorf("latest %+v", p.Latest)
	}
}

// A silent rewrite is found by the checks by chance when they meet it.
func TestCrawlSpotCheckFindsRewrite(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(30))
	f.intercept = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.RequestURI, "version=latest") {
			for i := range f.rows {
				f.rows[i].extra = `,"description":"rewritten"`
			}
		}
		return false
	}
	p := crawled(t, f, newMemory())
	incomplete(t, p, "spot:")
	if len(p.Spot.Wrong) != p.Spot.Checked || p.Spot.Checked == 0 {
		t.Errorf("spot %+v", p.Spot)
	}
}

func TestCrawlNameWithoutLatest(t *testing.T) {
	t.Parallel()
	rows := makeRows(60)
	for i := range rows {
		if rows[i].name == "com.example/s00003" {
			rows[i].latest = false
		}
	}
	p := crawled(t, serve(t, rows), newMemory())
	complete(t, p)
	if diff := cmp.Diff([]string{"com.example/s00003"}, p.Unsettled); diff != "" {
		t.Error(diff)
	}
	if p.Latest.Different != 1 || p.Latest.Explained != 1 {
		t.Errorf("latest %+v", p.Latest)
	}
}

func TestCrawlRestlessRegistry(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(10))
	n := 0
	f.intercept = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.RequestURI, "updated_since=2") {
			n++
			f.publish("com.example/s00000", fmt.Sprintf("9.0.%03d", n))
		}
		return false
	}
	p := crawled(t, f, newMemory())
	incomplete(t, p, "closing: restless")
}

func TestCrawlWithoutExtensions(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(230))
	f.plain = true
	p := crawled(t, f, newMemory())
	incomplete(t, p, "closing: skipped")
	if p.Extensions != (Extensions{}) || p.Latest.Skipped == "" || p.Rows != 230 || p.Chain != "" || p.Spot.Unanswered != 20 {
		t.Errorf("proof %+v", p)
	}
}

func TestCrawlEmptyRegistry(t *testing.T) {
	t.Parallel()
	p := crawled(t, serve(t, nil), newMemory())
	complete(t, p)
	if p.Rows != 0 || p.Names != 0 {
		t.Errorf("proof %+v", p)
	}
}

func TestCrawlOverAGap(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(250))
	f.rows[122].poison, f.rows[122].updated = true, f.clock.Now() // the last of three versions
	m := newMemory()
	_, err := f.client(t).Crawl(t.Context(), m, Position{}, options())
	if stopped := (*Stopped)(nil); !errors.As(err, &stopped) || stopped.Reason != StopGap {
		t.Fatalf("error %v", err)
	}
	// The row is new enough for the closing pass, and it is the latest of its name: it is in the way of every list.
	pos := m.position(t)
	jumps := 1
	for ; err != nil && jumps < 10; jumps++ {
		pos.State = pos.State.Jump(f.keys()[122])
		pos, err = f.client(t).Crawl(t.Context(), m, pos, options())
	}
	if err != nil {
		t.Fatal(err)
	}
	ok, reasons := pos.Proof.Complete()
	gaps := slices.DeleteFunc(reasons, func(r string) bool { return !strings.HasPrefix(r, "gap: 1 places") })
	if ok || len(gaps) != 3 || pos.Proof.Rows != 249 {
		t.Errorf("%d rows, reasons %q", pos.Proof.Rows, reasons)
	}
	// The list of its versions fails as well, and must not hold up everything else.
	if diff := cmp.Diff([]string{f.rows[122].name}, pos.Proof.Unsettled); diff != "" {
		t.Error(diff)
	}
}

// Killed at every single commit, and started again from what was committed, a crawl ends in the same place.
func TestCrawlKilledAnywhere(t *testing.T) {
	t.Parallel()
	build := func() (*fake, *memory) {
		rows := makeRows(330)
		rows[5].latest = false // to be settled
		f := serve(t, rows)
		fault := 0
		f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
			if fault++; fault%7 == 0 {
				status(503, "<html>")(w)
				return true
			}
			return false
		}
		return f, newMemory()
	}
	f, m := build()
	want := crawled(t, f, m)
	complete(t, want)
	for kill := 1; kill <= m.commits; kill++ {
		t.Run(fmt.Sprint(kill), func(t *testing.T) {
			t.Parallel()
			f, m := build()
			m.killAt = kill
			if _, err := f.client(t).Crawl(t.Context(), m, Position{}, options()); !errors.Is(err, errKilled) {
				t.Fatalf("error %v", err)
			}
			got := crawled(t, f, m)
			complete(t, got)
			if diff := cmp.Diff(undated(want), undated(got)); diff != "" {
				t.Error(diff)
			}
			for pass, pages := range m.pages {
				for i, p := range pages {
					if p.Seq != i {
						t.Errorf("pass %s: page %d is numbered %d", pass, i, p.Seq)
					}
				}
			}
		})
	}
}

// undated leaves out what may differ between two crawls: the address, times, and how often something was tried.
func undated(p Proof) Proof {
	p = p.clone()
	p.Registry, p.Started, p.Finished = "", time.Time{}, time.Time{}
	for i := range p.Passes {
		p.Passes[i].Since, p.Passes[i].Started, p.Passes[i].Outcomes = time.Time{}, time.Time{}, nil
	}
	return p
}

func TestCrawlStopsWithItsContext(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(330))
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	f.intercept = func(http.ResponseWriter, *http.Request) bool {
		if n++; n == 3 {
			cancel()
		}
		return false
	}
	m := newMemory()
	if _, err := f.client(t).Crawl(ctx, m, Position{}, options()); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	p := crawled(t, f, m)
	complete(t, p)
}
