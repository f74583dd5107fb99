package world

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Registry is a stand-in for the official registry's read API, with rows in memory. It answers as the program v1.8.8
// was measured to: cursors, limits, errors and all. It is safe for concurrent use.
type Registry struct {
	// Now is the clock of changes; nil means time.Now.
	Now func() time.Time
	// Intercept, when set, sees every request for a list first, with its number from 1. It may change the registry, and
	// answers the request itself when it returns true.
	Intercept func(w http.ResponseWriter, r *http.Request, n int) bool

	mu    sync.Mutex
	rows  []Row // sorted by key
	lists int
	log   []string
}

// NewRegistry serves rows in the order of the registry, whatever their order here.
func NewRegistry(rows []Row) *Registry {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int {
		switch {
		case less(a.key(), b.key()):
			return -1
		case less(b.key(), a.key()):
			return 1
		}
		return 0
	})
	return &Registry{rows: sorted}
}

// Rows returns every row, sorted by name and version.
func (g *Registry) Rows() []Row {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.rows)
}

// Requests returns the request targets so far, in the order of arrival.
func (g *Registry) Requests() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.log)
}

// Publish adds a row that is active and published now, or replaces the one of that name and version.
func (g *Registry) Publish(name, version string, server []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	row := Row{Name: name, Version: version, Status: Active, StatusChangedAt: now, PublishedAt: now, UpdatedAt: now, Server: slices.Clone(server)}
	at, found := slices.BinarySearchFunc(g.rows, row.key(), func(r Row, key [2]string) int {
		switch {
		case less(r.key(), key):
			return -1
		case less(key, r.key()):
			return 1
		}
		return 0
	})
	if found {
		g.rows[at] = row
	} else {
		g.rows = slices.Insert(g.rows, at, row)
	}
	g.elect(name)
}

// SetStatus changes the status of one version, or of every version when version is empty. As in the registry, the rows
// get a new time of update, and a change of which row is latest does not show in it.
func (g *Registry) SetStatus(name, version, status, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	for i := range g.rows {
		r := &g.rows[i]
		if r.Name == name && (version == "" || r.Version == version) {
			r.Status, r.StatusMessage, r.StatusChangedAt, r.UpdatedAt, r.raw = status, message, now, now, nil
		}
	}
	g.elect(name)
}

// Rewrite changes a server.json and nothing else: what a migration of the registry's database does.
func (g *Registry) Rewrite(name, version string, server []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.rows {
		if r := &g.rows[i]; r.Name == name && r.Version == version {
			r.Server, r.raw = slices.Clone(server), nil
		}
	}
}

// elect marks the latest of a name's rows that are not deleted.
func (g *Registry) elect(name string) {
	latest := -1
	for i, r := range g.rows {
		if r.Name == name && r.Status != Deleted && (latest < 0 || newer(r, g.rows[latest])) {
			latest = i
		}
	}
	for i := range g.rows {
		if r := &g.rows[i]; r.Name == name && r.Latest != (i == latest) {
			r.Latest, r.raw = i == latest, nil
		}
	}
}

func (g *Registry) now() time.Time {
	if g.Now != nil {
		return micro(g.Now())
	}
	return micro(time.Now())
}
