package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// filter is what the query of a list asks for.
type filter struct {
	limit   int
	after   [2]string
	started bool // after is set
	deleted bool
	since   time.Time
	version string
	search  string
}

// problem is an error answer (RFC 9457 §3).
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Errors []any  `json:"errors,omitempty"`
}

func fault(status int, detail string) *problem {
	return &problem{Title: http.StatusText(status), Status: status, Detail: detail}
}

func invalid(parameter, message string) *problem {
	p := fault(http.StatusUnprocessableEntity, "validation failed")
	p.Errors = []any{map[string]string{"message": message, "location": "query." + parameter}}
	return p
}

// readFilter reads the parameters of a list; the first of a repeated one counts, unknown ones are ignored.
func readFilter(q url.Values) (filter, *problem) {
	f := filter{limit: 30, version: q.Get("version"), search: q.Get("search")}
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 100 {
			return f, invalid("limit", "expected number between 1 and 100")
		}
		f.limit = n
	}
	if v := q.Get("include_deleted"); v != "" {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return f, invalid("include_deleted", "invalid boolean")
		}
		f.deleted = b
	}
	if n := len(f.search); n > 0 && n < 3 {
		return f, invalid("search", "expected length >= 3")
	}
	if v := q.Get("updated_since"); v != "" {
		since, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return f, fault(http.StatusBadRequest, "Invalid updated_since format: expected RFC3339 timestamp")
		}
		if q.Get("include_deleted") != "" && !f.deleted {
			return f, fault(http.StatusBadRequest, "include_deleted cannot be false when updated_since is provided")
		}
		f.since, f.deleted = since, true
	}
	if v := q.Get("cursor"); v != "" {
		switch {
		case !utf8.ValidString(v):
			return f, fault(http.StatusInternalServerError, "Failed to get registry list")
		case strings.ContainsRune(v, 0):
			return f, fault(http.StatusBadRequest, "Invalid cursor parameter")
		}
		name, version, ok := strings.Cut(v, ":")
		f.after, f.started = [2]string{name, version}, true
		if !ok {
			f.after[1] = "\U0010FFFF" // every version of that name: names alone are compared
		}
	}
	return f, nil
}

func (f filter) takes(r Row) bool {
	switch {
	case f.started && !less(f.after, r.key()),
		!f.deleted && r.Status == Deleted,
		!f.since.IsZero() && !r.UpdatedAt.After(f.since),
		f.version == "latest" && !r.Latest,
		f.version != "" && f.version != "latest" && r.Version != f.version,
		f.search != "" && !strings.Contains(strings.ToLower(r.Name), strings.ToLower(f.search)):
		return false
	}
	return true
}

// page has at most limit rows. A full page always has a cursor, even when nothing follows it.
func (g *Registry) page(f filter) (rows []Row, next string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.rows {
		if !f.takes(r) {
			continue
		}
		rows = append(rows, r)
		if len(rows) == f.limit {
			return rows, r.Name + ":" + r.Version
		}
	}
	return rows, ""
}

// ServeHTTP answers the read API under /v0.1 and /v0.
func (g *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.log = append(g.log, r.URL.RequestURI())
	g.mu.Unlock()
	path := r.URL.EscapedPath()
	if len(path) > 1 && strings.HasSuffix(path, "/") {
		target := strings.TrimRight(path, "/")
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
		http.Redirect(w, r, target, http.StatusPermanentRedirect)
		return
	}
	rest, known := strings.CutPrefix(path, "/v0.1/")
	if !known {
		rest, known = strings.CutPrefix(path, "/v0/")
	}
	parts := strings.Split(rest, "/")
	for i, p := range parts {
		decoded, err := url.PathUnescape(p)
		known = known && err == nil
		parts[i] = decoded
	}
	switch {
	case !known:
		send(w, fault(http.StatusNotFound, "Not Found"))
	case r.Method != http.MethodGet:
		send(w, fault(http.StatusMethodNotAllowed, "this registry is read through its API and written from Go"))
	case rest == "servers":
		g.serveList(w, r)
	case len(parts) == 3 && parts[0] == "servers" && parts[2] == "versions":
		g.serveVersions(w, r, parts[1], "")
	case len(parts) == 4 && parts[0] == "servers" && parts[2] == "versions":
		g.serveVersions(w, r, parts[1], parts[3])
	case rest == "version":
		send(w, map[string]string{"version": "dev", "git_commit": "none", "build_time": "unknown"})
	case rest == "ping":
		send(w, map[string]bool{"pong": true})
	case rest == "health":
		send(w, map[string]string{"status": "ok"})
	default:
		send(w, fault(http.StatusNotFound, "Not Found"))
	}
}

func (g *Registry) serveList(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.lists++
	n, intercept := g.lists, g.Intercept
	g.mu.Unlock()
	if intercept != nil && intercept(w, r, n) {
		return
	}
	f, bad := readFilter(r.URL.Query())
	if bad != nil {
		send(w, bad)
		return
	}
	rows, next := g.page(f)
	sendRows(w, rows, next)
}

// serveVersions answers the versions of a name, newest first, or one of them.
func (g *Registry) serveVersions(w http.ResponseWriter, r *http.Request, name, version string) {
	deleted := false
	if v := r.URL.Query().Get("include_deleted"); v != "" {
		b, err := strconv.ParseBool(v)
		if err != nil {
			send(w, invalid("include_deleted", "invalid boolean"))
			return
		}
		deleted = b
	}
	var found []Row
	for _, row := range g.Rows() {
		if row.Name == name && (deleted || row.Status != Deleted) {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, func(a, b Row) int { return b.PublishedAt.Compare(a.PublishedAt) })
	if version == "" {
		if len(found) == 0 {
			send(w, fault(http.StatusNotFound, "Server not found"))
			return
		}
		sendRows(w, found, "")
		return
	}
	for _, row := range found {
		if row.Version == version || (version == "latest" && row.Latest) {
			send(w, row)
			return
		}
	}
	send(w, fault(http.StatusNotFound, "Server not found"))
}

func sendRows(w http.ResponseWriter, rows []Row, next string) {
	body := struct {
		Servers  []Row `json:"servers"`
		Metadata struct {
			NextCursor string `json:"nextCursor,omitempty"`
			Count      int    `json:"count"`
		} `json:"metadata"`
	}{Servers: rows}
	if rows == nil {
		body.Servers = []Row{}
	}
	body.Metadata.NextCursor, body.Metadata.Count = next, len(rows)
	send(w, body)
}

func send(w http.ResponseWriter, body any) {
	status, kind := http.StatusOK, "application/json"
	if p, ok := body.(*problem); ok {
		status, kind = p.Status, "application/problem+json"
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // rows that come from elsewhere keep their bytes
	if err := encoder.Encode(body); err != nil {
		http.Error(w, fmt.Sprintf("encode the answer: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails only when the client is gone
}
