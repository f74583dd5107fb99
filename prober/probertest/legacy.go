package probertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// legacy answers a POST over streamable HTTP in the legacy era (2025-11-25 basic/transports and basic/lifecycle).
func (h *Handler) legacy(q *request) answer {
	s := &h.server
	if !s.speaks(wire.Modern) && q.looksModern() {
		return h.modernAtLegacy(q)
	}
	if s.Sessions && q.method != "initialize" {
		switch session := q.header("Mcp-Session-Id"); {
		case session == "":
			return errorAnswer(q, http.StatusBadRequest, -32000, "Bad Request: Mcp-Session-Id header is required", "")
		case !h.sessionLives(session):
			return errorAnswer(q, http.StatusNotFound, -32001, "Session not found", "")
		}
	}
	if version := q.header("Mcp-Protocol-Version"); version != "" && q.method != "initialize" && !s.knows(version) {
		return errorAnswer(q, http.StatusBadRequest, -32000, s.unsupported(version), "")
	}
	a := h.legacyMessage(q)
	if q.method == "initialize" && s.Sessions && a.status == http.StatusOK {
		a.header = http.Header{"Mcp-Session-Id": {h.openSession()}}
	}
	return a
}

// modernAtLegacy is what servers of the legacy era say to a modern request, all of it seen on the wire.
func (h *Handler) modernAtLegacy(q *request) answer {
	s := &h.server
	switch {
	case q.id == nil:
		return answer{status: http.StatusAccepted}
	case s.DiscoverOnLegacy && q.method == "server/discover":
		return resultAnswer(q, s.discoverResult())
	case s.DiscoverOnLegacy:
		return versionError(q, s, q.metaVersion())
	case s.Sessions:
		return errorAnswer(q, http.StatusBadRequest, -32000, "Bad Request: Server not initialized", "")
	}
	return errorAnswer(q, http.StatusBadRequest, -32000, s.unsupported(q.header("Mcp-Protocol-Version")), "")
}

// legacyMessage answers one message, whatever the transport.
func (h *Handler) legacyMessage(q *request) answer {
	s := &h.server
	if q.id == nil || q.method == "" { // a notification, or the client's answer to a request of ours
		return answer{status: http.StatusAccepted}
	}
	switch q.method {
	case "initialize":
		return resultAnswer(q, fmt.Sprintf(`{"protocolVersion":%s,"capabilities":%s,"serverInfo":%s}`,
			quote(s.negotiate(text(q.params["protocolVersion"]))), s.capabilities(), s.info()))
	case "ping":
		return resultAnswer(q, "{}")
	case "tools/list":
		return h.listTools(q, wire.Legacy)
	case "tools/call":
		return h.callTool(q, wire.Legacy)
	}
	return errorAnswer(q, http.StatusOK, -32601, "Method not found", "")
}

// negotiate echoes a revision that the server speaks and answers its preferred one to every other.
func (s *Server) negotiate(asked string) string {
	own := s.revisions(wire.Legacy)
	switch {
	case s.Negotiated != "":
		return s.Negotiated
	case slices.Contains(own, asked):
		return asked
	case len(own) > 0:
		return own[0]
	}
	return wire.OfferLegacy
}

func (s *Server) knows(version string) bool {
	return version == s.Negotiated || slices.Contains(s.revisions(wire.Legacy), version)
}

func (s *Server) unsupported(version string) string {
	return fmt.Sprintf("Bad Request: Unsupported protocol version: %s (supported versions: %s)",
		version, strings.Join(s.supported(), ", "))
}
