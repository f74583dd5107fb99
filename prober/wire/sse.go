package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// Limits of one event stream.
const (
	MaxEvents = 2000
	MaxLine   = 8 << 20
)

// Errors of [EventReader.Err].
var (
	ErrTooManyEvents = errors.New("too many events in one stream")
	ErrEventTooLarge = errors.New("line or event too large")
)

// Event is one server-sent event that carries data.
type Event struct {
	Type  string // "message" when the server named none
	Data  string // data lines joined by LF
	ID    string // last event id at that point; empty when there was none
	Retry *int   // reconnection time in milliseconds, when a retry field stood in this event
}

// Payload returns the data of an event that can hold a JSON-RPC message: neither empty (as in a priming event) nor the
// endpoint event of the HTTP+SSE transport.
func (e Event) Payload() ([]byte, bool) {
	if e.Data == "" || e.Type == EndpointEvent {
		return nil, false
	}
	return []byte(e.Data), true
}

// The event types that MCP gives a meaning to.
const (
	MessageEvent  = "message"
	EndpointEvent = "endpoint" // HTTP+SSE: the data is the URI to POST to
)

// EventLimits bounds an [EventReader]. A zero member stands for MaxEvents or MaxLine.
type EventLimits struct {
	Events int // events with data
	Line   int // bytes of one line, and of the data of one event
}

// EventReader parses an event stream as its bytes arrive, by the WHATWG HTML standard, section "Interpreting an event
// stream": lines end by CR, LF or CRLF, one byte order mark at the start is skipped, lines that begin with a colon are
// comments, a line without a colon is a field with an empty value. However the bytes are cut into writes, the events,
// flaws and errors are the same.
type EventReader struct {
	limits  EventLimits
	flaws   []Flaw
	err     error
	started bool // the start of the stream was looked at for a byte order mark
	afterCR bool // the last byte was a CR: a following LF belongs to it
	line    []byte
	data    []byte
	lines   int    // data lines of the event so far
	name    string // event field of the event so far
	lastID  string
	retry   *int // retry field of the event so far
	wait    *int // last retry field of the stream
	events  int
}

// NewEventReader returns a reader for one stream.
func NewEventReader(limits EventLimits) *EventReader {
	if limits.Events == 0 {
		limits.Events = MaxEvents
	}
	if limits.Line == 0 {
		limits.Line = MaxLine
	}
	return &EventReader{limits: limits}
}

// Write takes the next bytes of the stream and returns the events that they complete. After an error (see Err) it
// takes nothing more.
func (r *EventReader) Write(p []byte) []Event {
	var events []Event
	for len(p) > 0 && r.err == nil {
		if r.afterCR {
			r.afterCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
			r.flaw(SSELineEnding)
		}
		n := bytes.IndexAny(p, "\r\n")
		if n < 0 {
			r.extend(p)
			break
		}
		r.extend(p[:n])
		r.afterCR = p[n] == '\r'
		p = p[n+1:]
		if r.err == nil {
			events = append(events, r.endLine()...)
		}
	}
	return events
}

func (r *EventReader) extend(p []byte) {
	if len(r.line)+len(p) > r.limits.Line {
		r.fail(fmt.Errorf("%w: a line has more than %d bytes", ErrEventTooLarge, r.limits.Line))
		return
	}
	r.line = append(r.line, p...)
}

// Close takes the end of the stream. An event that lacks its blank line, which the standard would drop, is returned
// and flagged. Close may be called again, without effect.
func (r *EventReader) Close() []Event {
	if r.err != nil {
		return nil
	}
	var events []Event
	if len(r.line) > 0 {
		events = r.endLine()
	}
	if r.lines == 0 {
		return events
	}
	r.flaw(UnterminatedEvent)
	return append(events, r.dispatch()...)
}

// endLine interprets the line that has just ended.
func (r *EventReader) endLine() []Event {
	line := r.line
	r.line = r.line[:0]
	if !r.started {
		r.started = true
		if rest, ok := bytes.CutPrefix(line, bom); ok {
			r.flaw(SSEBOM)
			line = rest
		}
	}
	if len(line) == 0 {
		return r.dispatch()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) { // an empty field is a comment
	case "event":
		r.name = string(value)
	case "data":
		r.addData(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.lastID = string(value)
		}
	case "retry":
		r.setRetry(value)
	}
	return nil
}

func (r *EventReader) addData(value []byte) {
	if len(r.data)+len(value)+1 > r.limits.Line {
		r.fail(fmt.Errorf("%w: the data of an event has more than %d bytes", ErrEventTooLarge, r.limits.Line))
		return
	}
	if r.lines > 0 {
		r.data = append(r.data, '\n')
		r.flaw(SSEMultiline)
	}
	r.data = append(r.data, value...)
	r.lines++
}

func (r *EventReader) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.Atoi(string(value)); err == nil {
		r.retry, r.wait = &ms, &ms
	}
}

// dispatch ends the event so far and returns it, if it has data.
func (r *EventReader) dispatch() []Event {
	e := Event{Type: r.name, Data: string(r.data), ID: r.lastID, Retry: r.retry}
	lines := r.lines
	r.name, r.data, r.lines, r.retry = "", r.data[:0], 0, nil
	if lines == 0 {
		return nil
	}
	if r.events >= r.limits.Events {
		r.fail(fmt.Errorf("%w: more than %d", ErrTooManyEvents, r.limits.Events))
		return nil
	}
	r.events++
	if e.Type == "" {
		e.Type = MessageEvent
	}
	return []Event{e}
}

// LastEventID is what a client sends as Last-Event-ID to resume the stream, empty when the stream had no id. It counts
// ids of events without data, too.
func (r *EventReader) LastEventID() string { return r.lastID }

// Retry is the last reconnection time of the stream in milliseconds, also from events without data.
func (r *EventReader) Retry() (ms int, ok bool) {
	if r.wait == nil {
		return 0, false
	}
	return *r.wait, true
}

// Err is the reason why the reader takes nothing more: ErrTooManyEvents or ErrEventTooLarge, wrapped.
func (r *EventReader) Err() error { return r.err }

// Flaws returns what was odd about the stream so far, sorted.
func (r *EventReader) Flaws() []Flaw { return sorted(append([]Flaw(nil), r.flaws...)) }

func (r *EventReader) flaw(f Flaw) {
	for _, known := range r.flaws {
		if known == f {
			return
		}
	}
	r.flaws = append(r.flaws, f)
}

func (r *EventReader) fail(err error) {
	r.err = err
	r.line, r.data = nil, nil
}

// Events parses a whole stream within the default limits. What lies beyond them is left out.
func Events(body []byte) ([]Event, []Flaw) {
	r := NewEventReader(EventLimits{})
	events := append(r.Write(body), r.Close()...)
	return events, r.Flaws()
}
