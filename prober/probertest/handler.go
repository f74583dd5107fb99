package probertest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Handler is a running Server. It is safe for concurrent use.
type Handler struct {
	server Server
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex
	matches  []int                  // by step
	sessions map[string]bool        // live streamable sessions
	opened   int                    // sessions ever given
	lists    int                    // tools/list ever answered
	pending  map[string]string      // answers that wait for a GET, by event id
	streams  map[string]chan string // HTTP+SSE streams, by session
	log      []Request
	active   int
	gets     int
	maxGets  int
	conns    connections
}

// New makes a handler of the description.
func New(s Server) *Handler {
	return &Handler{
		server:   s,
		closed:   make(chan struct{}),
		matches:  make([]int, len(s.Steps)),
		sessions: map[string]bool{},
		pending:  map[string]string{},
		streams:  map[string]chan string{},
	}
}

// Close ends every stream that the handler holds open. It can be called more than once.
func (h *Handler) Close() { h.once.Do(func() { close(h.closed) }) }

func (h *Handler) isClosed() bool {
	select {
	case <-h.closed:
		return true
	default:
		return false
	}
}

// ServeHTTP answers as described.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		return // the client is gone
	}
	q := readRequest(r, body)
	watched := &watchedWriter{ResponseWriter: w}
	entry := h.begin(q)
	defer func() { h.end(entry, q, watched) }()
	if step := h.stepFor(q); step != nil {
		fill := h.filler(q)
		h.send(watched, r, &step.Reply, fill)
		h.push(q, fill(step.Push))
		return
	}
	switch path := r.URL.Path; {
	case h.server.serves(wire.HTTPSSE) && path == h.server.messagePath() && r.Method == http.MethodPost:
		h.postMessage(watched, q)
	case h.server.serves(wire.HTTPSSE) && path == h.server.ssePath() && r.Method == http.MethodGet:
		h.openStream(watched, q)
	case h.server.streamableAt(path):
		h.streamable(watched, q)
	default:
		http.NotFound(watched, r)
	}
}

func (s *Server) streamableAt(path string) bool {
	if !s.serves(wire.StreamableHTTP) {
		return false
	}
	if s.Path == "" {
		return !s.serves(wire.HTTPSSE) || path != s.ssePath()
	}
	return path == s.Path || slices.Contains(s.Also, path)
}

func (h *Handler) streamable(w http.ResponseWriter, q *request) {
	switch q.http.Method {
	case http.MethodPost:
		a := h.checkFrame(q)
		if a.status == 0 {
			a = h.conforming(q)
		}
		h.deliver(w, q, a)
	case http.MethodDelete:
		h.deliver(w, q, h.deleteSession(q))
	case http.MethodGet:
		if event, ok := h.resume(q); ok {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, event) // fails only when the client is gone
			return
		}
		h.deliver(w, q, notAllowed("POST, DELETE"))
	default:
		h.deliver(w, q, notAllowed("POST, DELETE"))
	}
}

// checkFrame answers what is no acceptable message; the answer has status 0 when it is one.
func (h *Handler) checkFrame(q *request) answer {
	accept := q.header("Accept")
	switch {
	case !strings.HasPrefix(q.header("Content-Type"), "application/json"):
		return errorAnswer(q, http.StatusUnsupportedMediaType, -32000, "Unsupported Media Type: Content-Type must be application/json", "")
	case !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream"):
		return errorAnswer(q, http.StatusNotAcceptable, -32000, "Not Acceptable: Client must accept both application/json and text/event-stream", "")
	case q.batch:
		return errorAnswer(q, http.StatusBadRequest, -32600, "Invalid Request: batches are not supported", "")
	case !q.valid:
		return errorAnswer(q, http.StatusBadRequest, -32700, "Parse error", "")
	}
	return answer{}
}

// conforming is the answer of a server that keeps to the specification.
func (h *Handler) conforming(q *request) answer {
	s := &h.server
	if s.serves(wire.HTTPSSE) && q.http.URL.Path == s.messagePath() {
		return h.legacyMessage(q)
	}
	if s.speaks(wire.Modern) && (q.looksModern() || !s.speaks(wire.Legacy)) {
		return h.modern(q)
	}
	return h.legacy(q)
}

// deliver frames an answer for the streamable transport.
func (h *Handler) deliver(w http.ResponseWriter, q *request, a answer) {
	if a.reply != nil {
		h.send(w, q.http, a.reply, h.filler(q))
		return
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	switch {
	case a.isMessage() && a.status == http.StatusOK && h.server.Form != JSON:
		h.stream(w, q, a)
	case a.isMessage():
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.message()) // fails only when the client is gone
	default:
		w.Header()["Content-Type"] = nil
		if a.kind != "" {
			w.Header().Set("Content-Type", a.kind)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.text)
	}
}

func (h *Handler) openSession() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opened++
	id := fmt.Sprintf("session-%d", h.opened)
	h.sessions[id] = true
	return id
}

func (h *Handler) sessionLives(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

func (h *Handler) deleteSession(q *request) answer {
	if !h.server.Sessions {
		return notAllowed("POST")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id := q.header("Mcp-Session-Id")
	if !h.sessions[id] {
		return errorAnswer(q, http.StatusNotFound, -32001, "Session not found", "")
	}
	delete(h.sessions, id)
	return answer{status: http.StatusOK}
}

func (h *Handler) nextPage() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists++
	return h.lists
}

// keepForResume stores the answer and returns the id of the event that announces it.
func (h *Handler) keepForResume(a answer) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := "event-" + strconv.Itoa(len(h.pending)+1)
	h.pending[id] = event(a.message())
	return id
}

func (h *Handler) resume(q *request) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, ok := h.pending[q.header("Last-Event-ID")]
	return e, ok
}
