package probertest

import (
	"slices"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Server describes one MCP server. The zero value is a stateless legacy server without tools that speaks streamable
// HTTP with JSON answers at every path.
type Server struct {
	// Transports it serves; empty means streamable HTTP alone.
	Transports []wire.Transport
	// Path of the streamable endpoint; empty means every path that HTTP+SSE does not use.
	Path string
	// Also are further paths of the streamable endpoint, when Path is set.
	Also []string
	// SSEPath and MessagePath of HTTP+SSE; empty means /sse and /messages.
	SSEPath, MessagePath string

	// Revisions that it speaks, in the order of preference; empty means 2025-11-25. They decide the eras.
	Revisions []string
	// Negotiated, when set, is answered to every initialize, whatever was asked.
	Negotiated string
	// Supported, when set, stands in supportedVersions of server/discover and data.supported instead of Revisions.
	Supported []string
	// DiscoverOnLegacy: a server without a modern revision that answers server/discover all the same.
	DiscoverOnLegacy bool

	// Info is the raw JSON of serverInfo; empty means a valid one.
	Info string
	// Capabilities is the raw JSON of the capabilities; empty means {"tools":{}}.
	Capabilities string

	// Form of the answers to POST over streamable HTTP.
	Form Form
	// Sessions: legacy requests need the Mcp-Session-Id that initialize gave, until a DELETE.
	Sessions bool

	Tools    []Tool
	PageSize int // tools a page; 0 means one page
	Paging   Paging
	// ListResult, when set, is the raw result of every tools/list.
	ListResult string

	// UnknownTool is the answer to tools/call of a tool that is not listed; the zero value is -32602.
	UnknownTool Mechanism
	// ModernUnknownTool is the same for the modern era, when it differs.
	ModernUnknownTool *Mechanism

	// Steps are answered before anything else; the first that matches wins.
	Steps []Step

	// Now stamps the log; nil means time.Now.
	Now func() time.Time
}

// Tool is one entry of the list. Empty members are left out of it.
type Tool struct {
	Name         string
	Description  string
	InputSchema  string // raw JSON; empty means {"type":"object"}
	OutputSchema string // raw JSON
	Annotations  string // raw JSON
	Raw          string // replaces the whole entry
	Result       string // raw CallToolResult of a call; empty means one text
}

// Form is how an answer is framed.
type Form int

// The forms. Error answers with an HTTP status other than 200 are always JSON.
const (
	JSON   Form = iota // application/json
	Stream             // text/event-stream, closed after the answer
	// NoisyStream sends an empty event, a comment, a notification and (legacy) a ping of its own before the answer.
	NoisyStream
	// OpenStream stays open after the answer, until the client goes away.
	OpenStream
	// ResumedStream ends before the answer, which waits for a GET with Last-Event-ID (legacy; modern as Stream).
	ResumedStream
)

// Paging is how a list is cut into pages.
type Paging int

// The ways of paging. All but Plain ignore PageSize unless they say otherwise.
const (
	Plain          Paging = iota // PageSize tools a page; an unknown cursor is -32602
	EmptyAtEnd                   // as Plain, and nextCursor "" on the last page; "" asked gives the first page again
	EmptyIsReal                  // two halves: nextCursor "" leads to the second
	NullAtEnd                    // as Plain, and nextCursor null on the last page
	SameCursor                   // every page is the first, with the same nextCursor
	CursorCycle                  // every page is the first, with two cursors in turn
	FreshCursor                  // every page is the first, with a new nextCursor each time
	EndlessTools                 // every page has new tools and a new nextCursor
	NumberedCursor               // nextCursor is a JSON number
)

func (s *Server) serves(t wire.Transport) bool {
	if len(s.Transports) == 0 {
		return t == wire.StreamableHTTP
	}
	return slices.Contains(s.Transports, t)
}

func (s *Server) revisions(era wire.Era) []string {
	all := s.Revisions
	if len(all) == 0 {
		all = []string{wire.OfferLegacy}
	}
	var of []string
	for _, name := range all {
		if eraOf(name) == era {
			of = append(of, name)
		}
	}
	return of
}

func (s *Server) speaks(era wire.Era) bool { return len(s.revisions(era)) > 0 }

func (s *Server) supported() []string {
	switch {
	case len(s.Supported) > 0:
		return s.Supported
	case len(s.Revisions) > 0:
		return s.Revisions
	}
	return []string{wire.OfferLegacy}
}

// eraOf takes an unknown revision for a legacy one: only the legacy handshake lets a server answer what was not asked.
func eraOf(revision string) wire.Era {
	if r, known := wire.FindRevision(revision); known {
		return r.Era
	}
	return wire.Legacy
}

func orElse(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
