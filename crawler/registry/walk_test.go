package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// list reads the whole list and fails the test when that is not possible.
func readAll(t *testing.T, f *fake, change ...func(*Options)) *collect {
	t.Helper()
	var got collect
	st, err := f.client(t, change...).Walk(t.Context(), Query{IncludeDeleted: true}, State{}, &got)
	if err != nil {
		t.Fatal(err)
	}
	if !st.Done || st.Seq != len(got.pages) || st.Tally.Pages != len(got.pages) {
		t.Errorf("final state %+v after %d pages", st, len(got.pages))
	}
	return &got
}

func TestWalkPages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rows, pages int }{{0, 1}, {1, 1}, {99, 1}, {100, 2}, {101, 2}, {300, 4}, {1234, 13}} {
		t.Run(fmt.Sprint(tt.rows), func(t *testing.T) {
			t.Parallel()
			f := serve(t, makeRows(tt.rows))
			got := readAll(t, f)
			if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
				t.Error(diff)
			}
			if len(got.pages) != tt.pages {
				t.Errorf("%d pages, want %d", len(got.pages), tt.pages)
			}
			for i, p := range got.pages {
				if p.Seq != i || p.Status != 200 || p.Attempts != 1 || len(got.contents[i].Anomalies) != 0 {
					t.Errorf("page %d: %d, status %d, %d attempts, %q", i, p.Seq, p.Status, p.Attempts, got.contents[i].Anomalies)
				}
			}
		})
	}
}

func TestWalkAlwaysSpellsTheSame(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(150))
	readAll(t, f)
	want := []string{
		"/v0.1/servers?limit=100&include_deleted=true",
		"/v0.1/servers?limit=100&include_deleted=true&cursor=" + url.QueryEscape(f.keys()[99]),
	}
	if diff := cmp.Diff(want, f.requests); diff != "" {
		t.Error(diff)
	}
}

func TestWalkIsPoliteAndIntroducesItself(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(500))
	var agents, codings []string
	f.intercept = func(_ http.ResponseWriter, r *http.Request) bool {
		agents, codings = append(agents, r.UserAgent()), append(codings, r.Header.Get("Accept-Encoding"))
		return false
	}
	start := f.clock.Now()
	readAll(t, f)
	if elapsed := f.clock.Now().Sub(start); elapsed < 5*200*time.Millisecond {
		t.Errorf("6 requests within %v", elapsed)
	}
	if len(slices.Compact(agents)) != 1 || agents[0] != "mcpcensus-test (+https://example.com)" || codings[0] != "gzip" {
		t.Errorf("agents %q, codings %q", agents, codings)
	}
}

func TestWalkCursorsAreEscaped(t *testing.T) {
	t.Parallel()
	var rows []fakeRow
	for _, v := range []string{
		"1.0.0+build.7", "1.0&limit=1", "1.0#x", " 1.0.10 ", "1.0%2F", "1.0?a=b", "1:0", "ü-ß", "日本", "1.0/..", `1"0`, "1.0;x", "é\u0301", "😀", strings.Repeat("9", 255),
	} {
		rows = append(rows, fakeRow{name: "com.example/nasty", version: v, status: Active})
	}
	f := serve(t, rows)
	// With pages of one row every version becomes a cursor.
	var got collect
	client := f.client(t)
	st := State{}
	for !st.Done {
		st.Suspect = 2
		var one collect
		next, err := client.Walk(t.Context(), Query{IncludeDeleted: true}, st, stopAfter{&one})
		if err != nil && !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
		_ = next
		st = one.states[0]
		got.contents = append(got.contents, one.contents...)
	}
	if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
		t.Error(diff)
	}
	if len(got.contents) != len(rows)+1 {
		t.Errorf("%d pages for %d rows", len(got.contents), len(rows))
	}
}

var errEnough = errors.New("enough")

// stopAfter takes one page and ends the walk.
type stopAfter struct{ *collect }

func (s stopAfter) Page(ctx context.Context, p Page, c PageContent, next State) error {
	if len(s.pages) == 1 {
		return errEnough
	}
	return s.collect.Page(ctx, p, c, next)
}

func TestWalkResumesAfterEveryPage(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(700))
	whole := readAll(t, f)
	for i, st := range whole.states {
		var rest collect
		end, err := f.client(t).Walk(t.Context(), Query{IncludeDeleted: true}, st, &rest)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole.states[len(whole.states)-1], end); diff != "" {
			t.Errorf("after page %d: %s", i, diff)
		}
		if diff := cmp.Diff(whole.keys()[min(len(whole.keys()), (i+1)*100):], rest.keys(), cmpopts.EquateEmpty()); diff != "" && i < len(whole.states)-1 {
			t.Errorf("after page %d: %s", i, diff)
		}
	}
}

// answer is one disturbance.
type answer func(w http.ResponseWriter)

func status(code int, body string, header ...string) answer {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func truncated(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "5000")
	io.WriteString(w, `{"servers":[{"server":{"name":`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func TestWalkSurvives(t *testing.T) {
	t.Parallel()
	const html = "<html>\r\n<head><title>429 Too Many Requests</title></head></html>"
	boom := status(500, `{"title":"Internal Server Error","status":500,"detail":"Failed to get registry list"}`)
	tests := map[string]struct {
		faults  []answer
		outcome map[string]int
	}{
		"429 as HTML":       {[]answer{status(429, html), status(429, html)}, map[string]int{"429": 2, "200": 4}},
		"500 storm":         {[]answer{boom, boom, boom, boom, boom, boom}, map[string]int{"500": 6, "200": 10}},
		"502 and 504":       {[]answer{status(502, html), status(504, html)}, map[string]int{"502": 1, "504": 1, "200": 4}},
		"truncated":         {[]answer{truncated, truncated}, map[string]int{OutcomeTruncated: 2, "200": 4}},
		"cut JSON":          {[]answer{status(200, `{"servers":[`)}, map[string]int{OutcomeNotPage: 1, "200": 4}},
		"HTML with 200":     {[]answer{status(200, html)}, map[string]int{OutcomeNotPage: 1, "200": 4}},
		"empty 200":         {[]answer{status(200, "")}, map[string]int{OutcomeNotPage: 1, "200": 4}},
		"error with 200":    {[]answer{status(200, `{"error":"x"}`)}, map[string]int{OutcomeNotPage: 1, "200": 4}},
		"404 in the middle": {[]answer{status(404, html)}, map[string]int{"404": 1, "200": 4}},
		"redirect":          {[]answer{status(302, "", "Location", "/elsewhere")}, map[string]int{"302": 1, "200": 4}},
		// Go repeats a request that an idle connection swallowed, so it takes two to be seen.
		"connection cut": {[]answer{cut, cut}, map[string]int{OutcomeNetwork: 1, "200": 4}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, makeRows(350))
			pages, sent := 0, 0
			f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.RequestURI, "/servers") {
					return false
				}
				if pages++; pages == 1 || sent == len(tt.faults) {
					return false
				}
				sent++
				tt.faults[sent-1](w)
				return true
			}
			got := readAll(t, f)
			if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
				t.Error(diff)
			}
			if got.failed == 0 {
				t.Error("the failures were not committed")
			}
			if diff := cmp.Diff(tt.outcome, got.states[len(got.states)-1].Tally.Outcomes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWalkTimeout(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(10))
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	first := true
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		was := first
		first = false
		f.mu.Unlock()
		if was {
			<-hang
			return
		}
		f.ServeHTTP(w, r)
	})
	got := readAll(t, f, func(o *Options) { o.Timeout = 50 * time.Millisecond })
	if len(got.keys()) != 10 || got.states[0].Tally.Outcomes[OutcomeTimeout] != 1 {
		t.Errorf("outcomes %v", got.states[0].Tally.Outcomes)
	}
}

func TestWalkWaits(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(10))
	n := 0
	f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
		switch n++; {
		case n == 3:
			status(503, "", "Retry-After", "120")(w)
		case n == 5:
			status(429, "", "Retry-After", f.clock.Now().Add(200*time.Second).UTC().Format(http.TimeFormat))(w)
		case n <= 9:
			status(503, "")(w)
		default:
			return false
		}
		return true
	}
	var waits []time.Duration
	last := time.Time{}
	got := &collect{}
	sink := failing{got, func(st State) {
		waits = append(waits, st.Trouble.NotBefore.Sub(f.clock.Now()))
		if st.Trouble.NotBefore.Before(last) {
			t.Error("time runs backwards")
		}
		last = st.Trouble.NotBefore
	}}
	if _, err := f.client(t).Walk(t.Context(), Query{}, State{}, sink); err != nil {
		t.Fatal(err)
	}
	bounds := []time.Duration{5 * time.Second, 10 * time.Second, 0, 40 * time.Second, 0, 160 * time.Second, 300 * time.Second, 300 * time.Second, 300 * time.Second}
	if len(waits) != len(bounds) {
		t.Fatalf("waits %v", waits)
	}
	for i, b := range bounds {
		switch {
		case i == 2 && waits[i] != 120*time.Second, i == 4 && (waits[i] < 199*time.Second || waits[i] > 200*time.Second):
			t.Errorf("wait %d is %v although the registry asked for another", i, waits[i])
		case b > 0 && (waits[i] > b || waits[i] < b/2):
			t.Errorf("wait %d is %v, want between %v and %v", i, waits[i], b/2, b)
		}
	}
}

type failing struct {
	*collect
	seen func(State)
}

func (f failing) Failed(_ context.Context, st State) error { f.seen(st); return nil }

func TestWalkBudget(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(250))
	down := false
	f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.RequestURI, "cursor=") {
			return false
		}
		if down {
			status(503, "<html>")(w)
		}
		return down
	}
	down = true
	var got collect
	start := f.clock.Now()
	st, err := f.client(t, func(o *Options) { o.Budget = 20 * time.Minute }).Walk(t.Context(), Query{}, State{}, &got)
	var stopped *Stopped
	if !errors.As(err, &stopped) || stopped.Reason != StopBudget || !stopped.Resumable() {
		t.Fatalf("error %v", err)
	}
	if spent := f.clock.Now().Sub(start); spent > 20*time.Minute+time.Second || spent < 10*time.Minute {
		t.Errorf("gave up after %v", spent)
	}
	if st.Seq != 1 || st.Trouble != (Trouble{}) {
		t.Errorf("state %+v: who resumes has the whole budget again", st)
	}
	down = false
	if _, err := f.client(t).Walk(t.Context(), Query{}, st, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
		t.Error(diff)
	}
}

// A process that takes over in the middle of a wait waits for the rest of it, and its failures count on.
func TestWalkTakesTheTroubleOver(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(10))
	f.intercept = func(w http.ResponseWriter, r *http.Request) bool { status(503, "")(w); return true }
	st := State{}
	slices := 0
	for ; slices < 1000; slices++ {
		ctx, cancel := context.WithCancel(t.Context())
		sink := failing{&collect{}, func(next State) { st = next; cancel() }}
		_, err := f.client(t).Walk(ctx, Query{}, st, sink)
		cancel()
		if stopped := (*Stopped)(nil); errors.As(err, &stopped) {
			if stopped.Reason != StopBudget {
				t.Fatal(err)
			}
			break
		}
	}
	if slices < 5 || slices > 30 {
		t.Errorf("gave up after %d slices", slices)
	}
}

func TestWalkRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 400, 401, 403, 404, 422} {
		f := serve(t, nil)
		f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
			status(code, "", "Location", "https://elsewhere.example.com/v0.1/servers")(w)
			return true
		}
		_, err := f.client(t).Walk(t.Context(), Query{}, State{}, &collect{})
		var stopped *Stopped
		if !errors.As(err, &stopped) || stopped.Reason != StopRefused {
			t.Errorf("%d: error %v", code, err)
		}
	}
}

func TestWalkOlderAPI(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(150))
	f.api = "/v0"
	client := f.client(t)
	var got collect
	if _, err := client.Walk(t.Context(), Query{IncludeDeleted: true}, State{}, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.keys()) != 150 || client.API() != "/v0" || !strings.HasPrefix(f.requests[2], "/v0/servers?") {
		t.Errorf("%d rows by %s: %q", len(got.keys()), client.API(), f.requests)
	}
	if version, err := client.Version(t.Context()); err != nil || version != "v1.8.8" {
		t.Errorf("version %q, %v", version, err)
	}
}
