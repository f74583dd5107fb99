package probertest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func (s *Server) ssePath() string     { return orElse(s.SSEPath, "/sse") }
func (s *Server) messagePath() string { return orElse(s.MessagePath, "/messages") }

// event frames one message as a server-sent event.
func event(data string) string { return "event: message\ndata: " + data + "\n\n" }

// stream answers a POST over streamable HTTP with an event stream.
func (h *Handler) stream(w http.ResponseWriter, q *request, a answer) {
	legacy := !q.looksModern()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	before := ""
	switch h.server.Form {
	case NoisyStream:
		before = "id: 0\ndata:\n\n: still here\n\n" +
			event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}`)
		if legacy {
			before += event(`{"jsonrpc":"2.0","id":"server-1","method":"ping"}`)
		}
	case ResumedStream:
		if legacy && q.method != "initialize" {
			_, _ = fmt.Fprintf(w, "id: %s\nretry: 1\ndata:\n\n", h.keepForResume(a))
			return
		}
	}
	_, _ = io.WriteString(w, before+event(a.message())) // fails only when the client is gone
	if h.server.Form == OpenStream {
		_ = http.NewResponseController(w).Flush()
		h.waitGone(q.http)
	}
}

// openStream is the GET of HTTP+SSE: the endpoint event, then whatever the session is told.
func (h *Handler) openStream(w http.ResponseWriter, q *request) {
	h.mu.Lock()
	h.opened++
	id := "stream-" + strconv.Itoa(h.opened)
	events := make(chan string, 64)
	h.streams[id] = events
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.streams, id)
		h.mu.Unlock()
	}()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	next := fmt.Sprintf("event: endpoint\ndata: %s?sessionId=%s\n\n", h.server.messagePath(), id)
	for {
		if _, err := io.WriteString(w, next); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case next = <-events:
		case <-q.http.Context().Done():
			return
		case <-h.closed:
			return
		}
	}
}

// postMessage takes a message of HTTP+SSE: 202 at once, the answer on the stream.
func (h *Handler) postMessage(w http.ResponseWriter, q *request) {
	if !h.streamOpen(q) {
		h.deliver(w, q, plainAnswer(http.StatusNotFound, "Session not found\n"))
		return
	}
	if !q.valid {
		h.deliver(w, q, plainAnswer(http.StatusBadRequest, "Invalid message\n"))
		return
	}
	a := h.legacyMessage(q)
	if a.reply != nil {
		h.deliver(w, q, a)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted")
	if a.isMessage() {
		h.push(q, event(a.message()))
	}
}

func (h *Handler) streamOpen(q *request) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, open := h.streams[q.http.URL.Query().Get("sessionId")]
	return open
}

// push sends events on the stream that the request belongs to, if there is one with room.
func (h *Handler) push(q *request, events string) {
	if events == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.streams[q.http.URL.Query().Get("sessionId")] <- events:
	default:
	}
}

// era is the one that a request belongs to.
func (q *request) era() wire.Era {
	if q.looksModern() {
		return wire.Modern
	}
	return wire.Legacy
}
