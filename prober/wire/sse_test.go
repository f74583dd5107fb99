package wire

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	message := func(data ...string) []Event {
		var events []Event
		for _, d := range data {
			events = append(events, Event{Type: MessageEvent, Data: d})
		}
		return events
	}
	ms := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		in    string
		want  []Event
		flaws []Flaw
	}{
		"lf":                  {in: "event: message\ndata: a\n\n", want: message("a")},
		"crlf":                {in: "event: message\r\ndata: a\r\n\r\n", want: message("a")},
		"cr":                  {in: "event: message\rdata: a\r\r", want: message("a"), flaws: []Flaw{SSELineEnding}},
		"cut inside crlf":     {in: "data: a\r\n\r", want: message("a")},
		"no space":            {in: "data:a\n\n", want: message("a")},
		"two spaces":          {in: "data:  a\n\n", want: message(" a")},
		"byte order mark":     {in: "\ufeffdata: a\n\n", want: message("a"), flaws: []Flaw{SSEBOM}},
		"later mark":          {in: "data: a\n\n\ufeffdata: b\n\n", want: message("a")},
		"multi-line":          {in: "data: {\ndata:  1\ndata: }\n\n", want: message("{\n 1\n}"), flaws: []Flaw{SSEMultiline}},
		"unterminated line":   {in: "data: a\n\ndata: b", want: message("a", "b"), flaws: []Flaw{UnterminatedEvent}},
		"unterminated event":  {in: "data: a\n", want: message("a"), flaws: []Flaw{UnterminatedEvent}},
		"ends in a comment":   {in: "data: a\n\n: ka", want: message("a")},
		"ends in an event":    {in: "data: a\n\nevent: x\n", want: message("a")},
		"comments":            {in: ": open\n\n:\n\ndata: a\n: in between\n\n", want: message("a")},
		"only comments":       {in: ": ka\n\n: ka\n\n"},
		"priming":             {in: "id: 1\nretry: 500\ndata:\n\n", want: []Event{{Type: MessageEvent, ID: "1", Retry: ms(500)}}},
		"data without colon":  {in: "data\n\n", want: message("")},
		"empty first line":    {in: "data:\ndata: b\n\n", want: message("\nb"), flaws: []Flaw{SSEMultiline}},
		"no data":             {in: "event: x\nid: 7\n\ndata: a\n\n", want: []Event{{Type: MessageEvent, Data: "a", ID: "7"}}},
		"type":                {in: "event: endpoint\ndata: /m\n\ndata: a\n\n", want: []Event{{Type: EndpointEvent, Data: "/m"}, {Type: MessageEvent, Data: "a"}}},
		"id stays":            {in: "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", want: []Event{{Type: MessageEvent, Data: "a", ID: "1"}, {Type: MessageEvent, Data: "b", ID: "1"}, {Type: MessageEvent, Data: "c"}}},
		"id with NUL":         {in: "id: 1\x002\ndata: a\n\n", want: message("a")},
		"retry is no number":  {in: "retry: 1s\ndata: a\n\n", want: message("a")},
		"retry out of range":  {in: "retry: 99999999999999999999\ndata: a\n\n", want: message("a")},
		"unknown fields":      {in: "Data: x\n data: y\nfoo\ndata: a\n\n", want: message("a")},
		"colon in the value":  {in: "data: a: b\n\n", want: message("a: b")},
		"blank lines":         {in: "\n\n\r\n\ndata: a\n\n\n", want: message("a")},
		"nothing":             {},
		"a page is no stream": {in: "<html>\n\n</html>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, flaws := Events([]byte(c.in))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if !slices.Equal(flaws, c.flaws) {
				t.Errorf("flaws %v, want %v", flaws, c.flaws)
			}
		})
	}
}

// An event must be out as soon as its blank line is, whatever follows.
func TestEventsArriveAtOnce(t *testing.T) {
	t.Parallel()
	r := NewEventReader(EventLimits{})
	for _, step := range []struct {
		chunk string
		want  int
	}{{"event: message\r", 0}, {"\nda", 0}, {"ta: a\r", 0}, {"\n\r", 1}, {"\n", 0}, {"id: 9\nretry: 10\n\n", 0}} {
		if got := r.Write([]byte(step.chunk)); len(got) != step.want {
			t.Errorf("after %q: %d events, want %d", step.chunk, len(got), step.want)
		}
	}
	if ms, ok := r.Retry(); r.LastEventID() != "9" || !ok || ms != 10 {
		t.Errorf("last id %q, retry %d, %v", r.LastEventID(), ms, ok)
	}
	if got := r.Close(); len(got) != 0 || len(r.Flaws()) != 0 || r.Err() != nil {
		t.Errorf("at the end: events %v, flaws %v, error %v", got, r.Flaws(), r.Err())
	}
}

func TestEventLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     string
		events int
		err    error
	}{
		"events at the limit":   {in: strings.Repeat("data: a\n\n", 3), events: 3},
		"too many events":       {in: strings.Repeat("data: a\n\n", 4), events: 3, err: ErrTooManyEvents},
		"unterminated too many": {in: strings.Repeat("data: a\n\n", 3) + "data: a", events: 3, err: ErrTooManyEvents},
		"comments do not count": {in: strings.Repeat(": a\n\n", 9)},
		"line at the limit":     {in: "data: 345678901234\n\n", events: 1},
		"long line":             {in: "data: a\n\ndata: 3456789012345\n\n", events: 1, err: ErrEventTooLarge},
		"long open line":        {in: strings.Repeat("x", 19), err: ErrEventTooLarge},
		"long data":             {in: "data: 0123456789\ndata: 0123456789\n\n", err: ErrEventTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := NewEventReader(EventLimits{Events: 3, Line: 18})
			got := append(r.Write([]byte(c.in)), r.Close()...)
			if len(got) != c.events || !errors.Is(r.Err(), c.err) {
				t.Errorf("%d events, error %v; want %d, %v", len(got), r.Err(), c.events, c.err)
			}
			if c.err != nil && len(r.Write([]byte("\n\ndata: b\n\n"))) != 0 {
				t.Error("events after an error")
			}
		})
	}
}

func TestPayload(t *testing.T) {
	t.Parallel()
	for _, e := range []Event{{Type: MessageEvent}, {Type: EndpointEvent, Data: "/m"}} {
		if _, ok := e.Payload(); ok {
			t.Errorf("%+v has a payload", e)
		}
	}
	if p, ok := (Event{Type: "other", Data: "a"}).Payload(); !ok || string(p) != "a" {
		t.Errorf("payload %q, %v", p, ok)
	}
}

// However a stream is cut into writes, the result is that of one write.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\r\ndata: {\"a\":1}\r\n\r\n"), uint8(3))
	f.Add([]byte("\ufeffdata: a\rdata: b\r\r: c\n\nid: 1\nretry: 5\n\ndata"), uint8(1))
	f.Add([]byte("data: 0123456789abcdef\n\n\r\n\ndata:x"), uint8(7))
	f.Add([]byte(strings.Repeat("data:\n\n", 9)), uint8(2))
	limits := EventLimits{Events: 5, Line: 24}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		whole := NewEventReader(limits)
		want := append(whole.Write(stream), whole.Close()...)
		parts := NewEventReader(limits)
		var got []Event
		for chunk := range slices.Chunk(stream, int(size)+1) {
			got = append(got, parts.Write(chunk)...)
		}
		got = append(got, parts.Close()...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("events %+v, want %+v", got, want)
		}
		if !slices.Equal(parts.Flaws(), whole.Flaws()) {
			t.Errorf("flaws %v, want %v", parts.Flaws(), whole.Flaws())
		}
		if (parts.Err() == nil) != (whole.Err() == nil) || parts.Err() != nil && parts.Err().Error() != whole.Err().Error() {
			t.Errorf("error %v, want %v", parts.Err(), whole.Err())
		}
		if parts.LastEventID() != whole.LastEventID() {
			t.Errorf("last id %q, want %q", parts.LastEventID(), whole.LastEventID())
		}
	})
}
