package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock stands still but for the sleeps.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	c.slept = append(c.slept, d)
	return ctx.Err()
}

type fakeRow struct {
	name, version, status string
	latest                bool
	published, updated    time.Time
	extra                 string // further members of server.json
	raw                   string // the whole row, when it comes from elsewhere
	poison                bool   // cannot be served
}

func (r fakeRow) json() string {
	if r.raw != "" {
		return r.raw
	}
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return fmt.Sprintf(`{"server":{"name":%s,"version":%s%s},"_meta":{"io.modelcontextprotocol.registry/official":`+
		`{"status":%q,"publishedAt":%q,"updatedAt":%q,"isLatest":%v}}}`, text(r.name), text(r.version), r.extra, r.status,
		r.published.Format(time.RFC3339Nano), r.updated.Format(time.RFC3339Nano), r.latest)
}

// fake is a registry that answers as the official one was measured to.
type fake struct {
	*httptest.Server
	clock *clock

	mu        sync.Mutex
	rows      []fakeRow
	api       string
	plain     bool // knows none of the extensions
	requests  []string
	intercept func(w http.ResponseWriter, r *http.Request) bool // with mu held; nil means none
}

func serve(t *testing.T, rows []fakeRow) *fake {
	t.Helper()
	f := &fake{clock: newClock(), api: "/v0.1", rows: rows}
	f.sort()
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) sort() {
	slices.SortFunc(f.rows, func(a, b fakeRow) int {
		return compareKeys(Stored{Name: a.name, Version: a.version}, Stored{Name: b.name, Version: b.version})
	})
}

// makeRows gives n rows; every third name has three versions, the last of which is the latest.
func makeRows(n int) []fakeRow {
	old := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var rows []fakeRow
	for i := 0; len(rows) < n; i++ {
		versions := 1
		if i%3 == 0 {
			versions = 3
		}
		for v := range min(versions, n-len(rows)) {
			rows = append(rows, fakeRow{name: fmt.Sprintf("com.example/s%05d", i), version: fmt.Sprintf("1.%d.0", v), status: Active, published: old, updated: old})
		}
		rows[len(rows)-1].latest = true
	}
	return rows
}

// publish adds a version that becomes the latest of its name; mu must be held. As in the registry, the row that was the
// latest keeps its time of update.
func (f *fake) publish(name, version string) {
	now := f.clock.Now()
	for i := range f.rows {
		if f.rows[i].name == name {
			f.rows[i].latest = false
		}
	}
	f.rows = append(f.rows, fakeRow{name: name, version: version, status: Active, latest: true, published: now, updated: now})
	f.sort()
}

// remove deletes the latest version of a name and promotes the one before; mu must be held.
func (f *fake) remove(name string) {
	last := -1
	for i := range f.rows {
		if f.rows[i].name == name && f.rows[i].latest {
			f.rows[i].status, f.rows[i].latest, f.rows[i].updated = Deleted, false, f.clock.Now()
			last = i
		}
	}
	if last > 0 && f.rows[last-1].name == name {
		f.rows[last-1].latest = true
	}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.RequestURI)
	w.Header().Set("Date", f.clock.Now().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	if f.intercept != nil && f.intercept(w, r) {
		return
	}
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), f.api)
	switch {
	case !ok:
		http.Error(w, `{"title":"Not Found","status":404}`, http.StatusNotFound)
	case path == "/servers":
		f.list(w, r.URL.Query())
	case path == "/version":
		io.WriteString(w, `{"version":"v1.8.8"}`)
	case strings.HasSuffix(path, "/versions"):
		f.versions(w, strings.TrimSuffix(strings.TrimPrefix(path, "/servers/"), "/versions"))
	default:
		http.Error(w, `{"title":"Not Found","status":404}`, http.StatusNotFound)
	}
}

func (f *fake) list(w http.ResponseWriter, q url.Values) {
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		http.Error(w, `{"status":422}`, http.StatusUnprocessableEntity)
		return
	}
	since, err := time.Parse(time.RFC3339Nano, q.Get("updated_since"))
	withSince := err == nil && !f.plain
	cursorName, cursorVersion, found := strings.Cut(q.Get("cursor"), ":")
	if !found {
		cursorVersion = "\U0010FFFF"
	}
	var rows []string
	next := ""
	for _, row := range f.rows {
		version := q.Get("version")
		switch {
		case q.Get("cursor") != "" && (row.name < cursorName || row.name == cursorName && row.version <= cursorVersion),
			!f.plain && q.Get("include_deleted") != "true" && !withSince && row.status == Deleted,
			withSince && !row.updated.After(since),
			!f.plain && version == "latest" && (!row.latest || row.status == Deleted),
			!f.plain && version != "" && version != "latest" && version != row.version:
			continue
		}
		if row.poison {
			http.Error(w, `{"title":"Internal Server Error","status":500,"detail":"Failed to get registry list"}`, http.StatusInternalServerError)
			return
		}
		rows = append(rows, row.json())
		if len(rows) == limit {
			next = row.name + ":" + row.version
			break
		}
	}
	f.send(w, rows, next)
}

func (f *fake) versions(w http.ResponseWriter, escaped string) {
	name, _ := url.PathUnescape(escaped)
	var rows []string
	for _, row := range f.rows {
		if row.name == name && !strings.Contains(escaped, "/") {
			if row.poison {
				http.Error(w, `{"status":500,"detail":"Failed to get server versions"}`, http.StatusInternalServerError)
				return
			}
			rows = append(rows, row.json())
		}
	}
	if rows == nil || f.plain {
		http.Error(w, `{"title":"Not Found","status":404,"detail":"Server not found"}`, http.StatusNotFound)
		return
	}
	slices.Reverse(rows)
	f.send(w, rows, "")
}

func (f *fake) send(w io.Writer, rows []string, next string) {
	cursor := ""
	if next != "" {
		b, _ := json.Marshal(next)
		cursor = `"nextCursor":` + string(b) + ","
	}
	fmt.Fprintf(w, `{"servers":[%s],"metadata":{%s"count":%d}}`, strings.Join(rows, ","), cursor, len(rows))
}

func (f *fake) client(t *testing.T, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{Base: f.URL, UserAgent: "mcpcensus-test (+https://example.com)", Clock: f.clock, Transport: f.Client().Transport}
	for _, c := range change {
		c(&o)
	}
	client, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
