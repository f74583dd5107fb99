package probertest

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Request is one line of a handler's log.
type Request struct {
	Seq            int // in the order of arrival, from 1
	Started, Ended time.Time
	HTTPMethod     string
	Path           string
	Header         http.Header
	Body           []byte
	Session        string // Mcp-Session-Id as sent

	Era    wire.Era
	Method string          // JSON-RPC method; empty when there is none
	ID     json.RawMessage // nil for notifications
	Tool   string          // name in a tools/call
	Cursor json.RawMessage // raw cursor of a tools/list; nil when absent

	Status int // answered; 0 while none was sent
	Others int // requests in progress when this one arrived; open GET streams do not count
}

// begin enters the request in the log and returns its place.
func (h *Handler) begin(q *request) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := Request{
		Seq: len(h.log) + 1, Started: h.now(), HTTPMethod: q.http.Method, Path: q.http.URL.Path,
		Header: q.http.Header.Clone(), Body: bytes.Clone(q.body), Session: q.header("Mcp-Session-Id"),
		Era: q.era(), Method: q.method, ID: q.id, Tool: q.tool(), Others: h.active,
	}
	if q.method == "tools/list" {
		r.Cursor = q.params["cursor"]
	}
	if q.http.Method == http.MethodGet {
		h.gets++
		h.maxGets = max(h.maxGets, h.gets)
	} else {
		h.active++
	}
	h.log = append(h.log, r)
	return len(h.log) - 1
}

func (h *Handler) end(entry int, q *request, w *watchedWriter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if q.http.Method == http.MethodGet {
		h.gets--
	} else {
		h.active--
	}
	h.log[entry].Ended = h.now()
	h.log[entry].Status = w.status
}

func (h *Handler) now() time.Time {
	if h.server.Now != nil {
		return h.server.Now()
	}
	return time.Now()
}

// Log returns the requests so far, in the order of arrival.
func (h *Handler) Log() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.log)
}

// Methods returns the JSON-RPC methods so far, in the order of arrival; "GET" and the like for requests without one.
func (h *Handler) Methods() []string {
	var methods []string
	for _, r := range h.Log() {
		methods = append(methods, orElse(r.Method, r.HTTPMethod))
	}
	return methods
}

// Calls returns the names of the tools that were called, in order.
func (h *Handler) Calls() []string {
	var names []string
	for _, r := range h.Log() {
		if r.Method == "tools/call" {
			names = append(names, r.Tool)
		}
	}
	return names
}

// MaxConcurrent is the largest number of requests in progress at a time; open GET streams do not count.
func (h *Handler) MaxConcurrent() int {
	most := 0
	for _, r := range h.Log() {
		if r.HTTPMethod != http.MethodGet {
			most = max(most, r.Others+1)
		}
	}
	return most
}

// MaxStreams is the largest number of GET requests in progress at a time.
func (h *Handler) MaxStreams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.maxGets
}

// OpenSessions returns how many streamable sessions were opened and not deleted.
func (h *Handler) OpenSessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// OpenStreams returns how many HTTP+SSE streams are open.
func (h *Handler) OpenStreams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

// connections counts what http.Server reports.
type connections struct {
	mu              sync.Mutex
	open            map[net.Conn]bool
	opened, highest int
}

// ConnState counts connections; give it to http.Server.ConnState.
func (h *Handler) ConnState(conn net.Conn, state http.ConnState) {
	c := &h.conns
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.open == nil {
			c.open = map[net.Conn]bool{}
		}
		c.open[conn] = true
		c.opened++
		c.highest = max(c.highest, len(c.open))
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// Connections returns how many connections were opened in all and how many were open at a time at most. It needs
// ConnState.
func (h *Handler) Connections() (opened, highest int) {
	h.conns.mu.Lock()
	defer h.conns.mu.Unlock()
	return h.conns.opened, h.conns.highest
}

// watchedWriter remembers the status.
type watchedWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status and passes it on.
func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the implied status 200.
func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the real writer.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
