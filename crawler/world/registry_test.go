package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 9, 1, 12, 0, 0, 123456789, time.UTC)

func row(name, version, status string, latest bool, minutes int) Row {
	at := start.Add(time.Duration(minutes) * time.Minute)
	server := fmt.Sprintf(`{"name":%q,"version":%q,"description":"a < b"}`, name, version)
	return Row{Name: name, Version: version, Status: status, Latest: latest, PublishedAt: at, UpdatedAt: at, Server: json.RawMessage(server)}
}

// fetched is an answer of the registry.
type fetched struct {
	status int
	header http.Header
	body   string
	rows   []string // "name version status latest"
	next   string
}

func get(t *testing.T, g *Registry, target string) fetched {
	t.Helper()
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	f := fetched{status: w.Code, header: w.Header(), body: w.Body.String()}
	var page struct {
		Servers []struct {
			Server struct{ Name, Version string }
			Meta   struct {
				Official struct {
					Status   string
					IsLatest bool
				} `json:"io.modelcontextprotocol.registry/official"`
			} `json:"_meta"`
		}
		Metadata struct {
			NextCursor string
			Count      int
		}
	}
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatalf("%s: %v in %s", target, err, f.body)
		}
		if page.Metadata.Count != len(page.Servers) {
			t.Errorf("%s: count %d for %d rows", target, page.Metadata.Count, len(page.Servers))
		}
	}
	for _, s := range page.Servers {
		o := s.Meta.Official
		f.rows = append(f.rows, fmt.Sprintf("%s %s %s %t", s.Server.Name, s.Server.Version, o.Status, o.IsLatest))
	}
	f.next = page.Metadata.NextCursor
	return f
}

func sample() *Registry {
	return NewRegistry([]Row{
		row("com.b/x", "1.10.0", Active, true, 3), row("com.b/x", "1.2.0+a&b", Active, false, 2), row("com.b/x", "1.1.0", Deleted, false, 1),
		row("com.B/x", "1.0.0", Deprecated, true, 0), row("com.a/y", "2", Active, true, 9), row("com.c/z", "1.0.0", Deleted, false, 5),
	})
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	since := url.QueryEscape(micro(start).Add(2 * time.Minute).Format(time.RFC3339Nano))
	for query, want := range map[string]string{
		"":                                   "com.B/x 1.0.0 deprecated true, com.a/y 2 active true, com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false",
		"?include_deleted=true&search=COM.B": "com.B/x 1.0.0 deprecated true, com.b/x 1.1.0 deleted false, com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false",
		"?version=latest":                    "com.B/x 1.0.0 deprecated true, com.a/y 2 active true, com.b/x 1.10.0 active true",
		"?version=1.0.0":                     "com.B/x 1.0.0 deprecated true",
		"?version=LATEST":                    "",
		"?limit=&limit=0":                    "com.B/x 1.0.0 deprecated true, com.a/y 2 active true, com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false",
		"?offset=3&version=2":                "com.a/y 2 active true",
		"?updated_since=" + since:            "com.a/y 2 active true, com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false, com.c/z 1.0.0 deleted false",
		"?cursor=com.a":                      "com.a/y 2 active true, com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false",
		"?cursor=com.a%2Fy":                  "com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false",
		"?cursor=com.b%2Fx:1.10.0":           "com.b/x 1.2.0+a&b active false",
	} {
		for _, base := range []string{"/v0.1/servers", "/v0/servers"} {
			f := get(t, sample(), base+query)
			if got := strings.Join(f.rows, ", "); f.status != 200 || got != want {
				t.Errorf("%s%s: %d %s, want %s", base, query, f.status, got, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]int{
		"/v0.1/servers?limit=0": 422, "/v0.1/servers?limit=101": 422, "/v0.1/servers?limit=-1": 422,
		"/v0.1/servers?limit=abc": 422, "/v0.1/servers?limit=1.5": 422, "/v0.1/servers?include_deleted=yes": 422,
		"/v0.1/servers?search=ab": 422, "/v0.1/servers?updated_since=2026-01-01": 400,
		"/v0.1/servers?updated_since=2026-01-01T00:00:00+02:00":                  400, // the plus is a blank
		"/v0.1/servers?updated_since=2026-01-01T00:00:00Z&include_deleted=false": 400,
		"/v0.1/servers?cursor=%00":                                               400,
		"/v0.1/servers?cursor=%FF":                                               500,
		"/v0.1/servers/":                                                         308,
		"/v0.1/servers/com.b/x/versions":                                         404,
		"/v0.1/servers/com.b%2Fx":                                                404,
		"/v0.1/servers/com.c%2Fz/versions":                                       404,
		"/v0.1/servers/com.b%2Fx/versions/1.1.0":                                 404,
		"/v0.1/servers/com.b%2Fx/versions/1.1.0?include_deleted=true":            200,
		"/v0.1/servers/com.b%2Fx/versions/1.2.0+a&b":                             200,
		"/v0.1/servers/com.b%2Fx/versions/latest":                                200,
		"/v0.1/servers/com.c%2Fz/versions/latest?include_deleted=true":           404,
		"/v2/servers":   404,
		"/v0.1/version": 200, "/v0.1/ping": 200, "/v0.1/health": 200,
	} {
		f := get(t, sample(), target)
		if f.status != want {
			t.Errorf("%s: %d %s, want %d", target, f.status, f.body, want)
		}
		if f.status >= 400 && f.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v", target, f.header)
		}
	}
}

func TestVersionsNewestFirst(t *testing.T) {
	t.Parallel()
	f := get(t, sample(), "/v0.1/servers/com.b%2Fx/versions?include_deleted=true")
	if got := strings.Join(f.rows, ", "); got != "com.b/x 1.10.0 active true, com.b/x 1.2.0+a&b active false, com.b/x 1.1.0 deleted false" {
		t.Error(got)
	}
}

// walk pages through everything.
func walk(t *testing.T, g *Registry, limit int) (rows []string, pages int) {
	t.Helper()
	for cursor := ""; ; pages++ {
		f := get(t, g, fmt.Sprintf("/v0.1/servers?include_deleted=true&limit=%d&cursor=%s", limit, url.QueryEscape(cursor)))
		rows = append(rows, f.rows...)
		if f.next == "" {
			return rows, pages + 1
		}
		cursor = f.next
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	whole, _ := walk(t, sample(), 100)
	for limit, wantPages := range map[int]int{1: 7, 2: 4, 3: 3, 4: 2, 6: 2, 100: 1} {
		rows, pages := walk(t, sample(), limit)
		if !slices.Equal(rows, whole) || len(rows) != 6 {
			t.Errorf("limit %d: %v", limit, rows)
		}
		if pages != wantPages {
			t.Errorf("limit %d: %d pages, want %d", limit, pages, wantPages)
		}
	}
}

func TestChangesWhileWalking(t *testing.T) {
	t.Parallel()
	g := sample()
	later := start.Add(time.Hour)
	g.Now = func() time.Time { return later }
	g.Intercept = func(w http.ResponseWriter, _ *http.Request, n int) bool {
		switch n {
		case 2: // behind the cursor, ahead of it, and a change of the latest
			g.Publish("com.A/new", "1.0.0", []byte(`{"name":"com.A/new","version":"1.0.0"}`))
			g.Publish("com.b/x", "1.11.0", []byte(`{"name":"com.b/x","version":"1.11.0"}`))
			g.SetStatus("com.c/z", "", Active, "again")
		case 3:
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	}
	first := get(t, g, "/v0.1/servers?limit=2")
	second := get(t, g, "/v0.1/servers?limit=9&cursor="+url.QueryEscape(first.next))
	if got := strings.Join(second.rows, ", "); got != "com.b/x 1.10.0 active false, com.b/x 1.11.0 active true, com.b/x 1.2.0+a&b active false, com.c/z 1.0.0 active true" {
		t.Errorf("second page: %s", got)
	}
	if f := get(t, g, "/v0.1/servers"); f.status != http.StatusBadGateway {
		t.Errorf("intercepted: %d", f.status)
	}
	// The demotion of 1.10.0 does not show, as in the real registry.
	f := get(t, g, "/v0.1/servers?updated_since="+url.QueryEscape(start.Add(30*time.Minute).Format(time.RFC3339)))
	if got := strings.Join(f.rows, ", "); got != "com.A/new 1.0.0 active true, com.b/x 1.11.0 active true, com.c/z 1.0.0 active true" {
		t.Errorf("updated: %s", got)
	}
	g.Rewrite("com.a/y", "2", []byte(`{"name":"com.a/y","version":"2","title":"t"}`))
	if f := get(t, g, "/v0.1/servers/com.a%2Fy/versions/2"); !strings.Contains(f.body, `"title":"t"`) || !strings.Contains(f.body, `"updatedAt":"2026-09-01T12:09:00.123456Z"`) {
		t.Errorf("rewritten: %s", f.body)
	}
	if got := len(g.Requests()); got != 5 {
		t.Errorf("%d requests in the log", got)
	}
}

func TestElection(t *testing.T) {
	t.Parallel()
	g := NewRegistry(nil)
	now := start
	g.Now = func() time.Time { now = now.Add(time.Minute); return now }
	for _, step := range []struct{ version, want string }{
		{"beta", "beta"}, {"alpha", "alpha"}, {"1.0.0-rc.1", "1.0.0-rc.1"}, {"1.0.0-rc.10", "1.0.0-rc.10"}, {"1.0.0-rc.2", "1.0.0-rc.10"},
		{"1.0.0", "1.0.0"}, {"zeta", "1.0.0"}, {"1.0.0-x", "1.0.0"}, {"0.99.0", "1.0.0"}, {"1.0.10", "1.0.10"}, {"01.1.1", "1.0.10"},
	} {
		g.Publish("com.a/x", step.version, []byte(`{"name":"com.a/x","version":"`+step.version+`"}`))
		if got := get(t, g, "/v0.1/servers?version=latest"); len(got.rows) != 1 || got.rows[0] != "com.a/x "+step.want+" active true" {
			t.Errorf("after %s the latest is %v, want %s", step.version, got.rows, step.want)
		}
	}
	g.SetStatus("com.a/x", "1.0.10", Deleted, "")
	if got := get(t, g, "/v0.1/servers?version=latest"); len(got.rows) != 1 || got.rows[0] != "com.a/x 1.0.0 active true" {
		t.Errorf("after the deletion: %v", got.rows)
	}
	g.SetStatus("com.a/x", "", Deleted, "")
	if got := get(t, g, "/v0.1/servers?version=latest&include_deleted=true"); len(got.rows) != 0 {
		t.Errorf("after the deletion of all: %v", got.rows)
	}
}

func TestRowsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	const raw = `{"server":{"name":"com.a/x","version":"1.0.0","description":"a < b & ü","odd":[1.0]},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"active","publishedAt":"2025-09-08T23:47:09.45Z","updatedAt":"2025-09-09T00:16:49.16262Z","isLatest":true},"x":1}}`
	rows, err := ReadRows(strings.NewReader(raw + "\n\n"))
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	g := NewRegistry(rows)
	if f := get(t, g, "/v0.1/servers"); !strings.Contains(f.body, raw) {
		t.Errorf("served %s", f.body)
	}
	g.SetStatus("com.a/x", "1.0.0", Deprecated, "use y")
	f := get(t, g, "/v0.1/servers")
	for _, want := range []string{`"status":"deprecated"`, `"statusMessage":"use y"`, `"odd":[1.0]`, `"publishedAt":"2025-09-08T23:47:09.45Z"`} {
		if !strings.Contains(f.body, want) {
			t.Errorf("no %s in %s", want, f.body)
		}
	}
	if _, err := ReadRows(strings.NewReader(raw + "\n{")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken line gives %v", err)
	}
}

func FuzzListQuery(f *testing.F) {
	for _, q := range []string{"", "limit=1&cursor=com.b%2Fx:1.0", "cursor=%ff", "updated_since=2026-01-01T00:00:00Z", "search=%25%5f%00", "version=latest&include_deleted=1"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		filter, bad := readFilter(values)
		if bad != nil {
			if bad.Status < 400 {
				t.Errorf("an error with status %d", bad.Status)
			}
			return
		}
		rows, next := sample().page(filter)
		if len(rows) > filter.limit || (next != "") != (len(rows) == filter.limit) {
			t.Errorf("%d rows of %d, cursor %q", len(rows), filter.limit, next)
		}
	})
}

func FuzzParseRow(f *testing.F) {
	f.Add([]byte(`{"server":{"name":"a/b","version":"1"},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"active","publishedAt":"2025-09-08T23:47:09Z","updatedAt":"2025-09-08T23:47:09Z","isLatest":true}}}`))
	f.Add([]byte(`{"server":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		row, err := ParseRow(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(row)
		if err != nil || !json.Valid(again) {
			t.Errorf("%q gives %q, %v", raw, again, err)
		}
	})
}
