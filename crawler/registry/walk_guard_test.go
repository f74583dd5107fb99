package registry

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWalkLoops(t *testing.T) {
	t.Parallel()
	page := func(next string) answer {
		return status(200, fmt.Sprintf(`{"servers":[{"name":"a","version":"1"}],"metadata":{"nextCursor":%q,"count":1}}`, next))
	}
	tests := map[string]func(cursor string) string{
		"same cursor": func(string) string { return "a:1" },
		"circle of three after five": func(cursor string) string {
			var n int
			fmt.Sscanf(cursor, "c%d", &n)
			if n == 7 {
				n = 4
			}
			return fmt.Sprintf("c%d", n+1)
		},
	}
	for name, next := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, nil)
			f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
				page(next(r.URL.Query().Get("cursor")))(w)
				return true
			}
			_, err := f.client(t).Walk(t.Context(), Query{}, State{}, &collect{})
			var stopped *Stopped
			if !errors.As(err, &stopped) || stopped.Reason != StopLoop || stopped.Resumable() {
				t.Errorf("error %v", err)
			}
			if len(f.requests) > 30 {
				t.Errorf("%d requests until the loop was seen", len(f.requests))
			}
		})
	}
}

// Pages without a row that give ever new cursors are no list.
func TestWalkEndlessEmptyPages(t *testing.T) {
	t.Parallel()
	f := serve(t, nil)
	n := 0
	f.intercept = func(w http.ResponseWriter, _ *http.Request) bool {
		n++
		status(200, fmt.Sprintf(`{"servers":[],"metadata":{"nextCursor":"c%d","count":0}}`, n))(w)
		return true
	}
	_, err := f.client(t).Walk(t.Context(), Query{}, State{}, &collect{})
	if stopped := (*Stopped)(nil); !errors.As(err, &stopped) || stopped.Reason != StopLoop {
		t.Errorf("error %v", err)
	}
	if n != maxEmpty+1 {
		t.Errorf("%d requests", n)
	}
}

func TestWalkRefusesCursorWithNUL(t *testing.T) {
	t.Parallel()
	f := serve(t, nil)
	f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
		status(200, `{"servers":[{"name":"a","version":"1"}],"metadata":{"nextCursor":"a\u0000","count":1}}`)(w)
		return true
	}
	_, err := f.client(t).Walk(t.Context(), Query{}, State{}, &collect{})
	if stopped := (*Stopped)(nil); !errors.As(err, &stopped) || stopped.Reason != StopCursor {
		t.Errorf("error %v", err)
	}
}

func TestWalkStale(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		caches []string // of the answers to the first page
		change bool     // the second answer differs
		want   string
	}{
		"changed":     {[]string{"STALE", "MISS"}, true, PageStaleChanged},
		"the same":    {[]string{"UPDATING", "HIT"}, false, PageStaleSame},
		"stale again": {[]string{"STALE", "STALE"}, true, PageStaleAgain},
		"fails":       {[]string{"STALE", ""}, true, PageStaleAgain},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, makeRows(50))
			n := 0
			f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
				n++
				if n == 2 && tt.change {
					f.publish("com.example/new", "1.0.0")
				}
				if n == 2 && tt.caches[1] == "" {
					status(502, "<html>")(w)
					return true
				}
				w.Header().Set("X-Registry-Cache", tt.caches[n-1])
				return false
			}
			got := readAll(t, f)
			if !slices.Contains(got.contents[0].Anomalies, tt.want) {
				t.Errorf("anomalies %q, want %s", got.contents[0].Anomalies, tt.want)
			}
			fresh := tt.caches[1] != ""
			if (got.pages[0].Stale != nil) != fresh || got.pages[0].Attempts != 2 {
				t.Errorf("earlier answer kept: %v after %d attempts", got.pages[0].Stale != nil, got.pages[0].Attempts)
			}
			if want := 50; fresh && tt.change {
				want++
				if len(got.keys()) != want {
					t.Errorf("%d rows, want those of the newer answer", len(got.keys()))
				}
			}
		})
	}
}

func TestWalkPoison(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1, 57, 99, 100, 230, 249} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			f := serve(t, makeRows(250))
			f.rows[at].poison = true
			client := f.client(t)
			var got collect
			st, err := client.Walk(t.Context(), Query{IncludeDeleted: true}, State{}, &got)
			var stopped *Stopped
			if !errors.As(err, &stopped) || stopped.Reason != StopGap {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(f.keys()[:at], got.keys(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("not all rows before the poison were read: %s", diff)
			}
			if len(f.requests) > 40 {
				t.Errorf("%d requests to isolate it", len(f.requests))
			}
			// The operator names a cursor behind it; the gap stays on record.
			st, err = client.Walk(t.Context(), Query{IncludeDeleted: true}, st.Jump(f.keys()[at]), &got)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Delete(slices.Clone(f.keys()), at, at+1)
			if diff := cmp.Diff(want, got.keys()); diff != "" {
				t.Error(diff)
			}
			if len(st.Gaps) != 1 || st.Gaps[0].To != f.keys()[at] {
				t.Errorf("gaps %v", st.Gaps)
			}
		})
	}
}

// An outage looks like a poisoned row, but nothing else is served either. No gap may be recorded.
func TestWalkOutageIsNoPoison(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(450))
	n := 0
	f.intercept = func(w http.ResponseWriter, r *http.Request) bool {
		if n++; n > 2 && n < 22 {
			status(500, `{"status":500}`)(w)
			return true
		}
		return false
	}
	got := readAll(t, f, func(o *Options) { o.Budget = 10 * time.Hour })
	if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
		t.Error(diff)
	}
	if last := got.pages[len(got.pages)-1]; last.Limit != pageLimit {
		t.Errorf("still asks for %d rows a page", last.Limit)
	}
}

func TestWalkTooLarge(t *testing.T) {
	t.Parallel()
	rows := makeRows(300)
	for i := 100; i < 200; i++ {
		rows[i].extra = `,"description":"` + strings.Repeat("x", 2000) + `"`
	}
	f := serve(t, rows)
	got := readAll(t, f, func(o *Options) { o.MaxBody = 100_000 })
	if diff := cmp.Diff(f.keys(), got.keys()); diff != "" {
		t.Error(diff)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"ftp://example.com", "example.com", "https://", "https://example.com/v0.1", "https://example.com/v0/servers/", "https://example.com?x=1", ":"} {
		if _, err := New(Options{Base: base}); err == nil {
			t.Errorf("%q was accepted", base)
		}
	}
	for _, base := range []string{"", "http://127.0.0.1:8080", "https://example.com/registry/"} {
		if _, err := New(Options{Base: base}); err != nil {
			t.Error(err)
		}
	}
}
