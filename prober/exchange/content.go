package exchange

import "github.com/mcpcensus/mcpcensus/prober/wire"

// sniffed is how many bytes tell an event stream from JSON; see wire.IsEventStream.
const sniffed = 8

// maxLooks is how often a body is searched for the answer before its end.
const maxLooks = 8

// content looks for the answer in a decoded body while it arrives.
type content struct {
	label    string
	reader   Reader
	response *Response

	head   []byte // the first bytes, until the kind of content is known
	known  bool
	events *wire.EventReader // nil for content that is no event stream
	answer *wire.AnswerScanner
	end    valueEnd
	looks  int
	found  bool
}

// write takes the next bytes. It returns an error when a limit of event streams is reached.
func (c *content) write(p []byte) error {
	if !c.known {
		c.head = append(c.head, p...)
		if len(c.head) < sniffed {
			return nil
		}
		p = c.sniff()
	}
	if c.events == nil {
		c.look(p)
		return nil
	}
	c.take(c.events.Write(p))
	return c.events.Err()
}

// sniff decides what the content is and returns the bytes so far.
func (c *content) sniff() []byte {
	c.known = true
	if wire.IsEventStream(c.label, c.head) {
		c.events = wire.NewEventReader(wire.EventLimits{})
	}
	return c.head
}

// close takes the end of the content.
func (c *content) close() {
	if !c.known {
		if head := c.sniff(); c.events != nil {
			c.take(c.events.Write(head))
		}
	}
	if c.events != nil {
		c.take(c.events.Close())
	}
}

func (c *content) take(events []wire.Event) {
	for _, event := range events {
		if payload, ok := event.Payload(); ok && c.reader.ID != nil && c.answer.Offer(payload) {
			c.found = true
		}
		if c.reader.Event != nil {
			c.reader.Event(event)
		}
	}
}

// look searches JSON content for the answer whenever a value is complete: some servers never end the body behind it.
func (c *content) look(p []byte) {
	if c.found || c.reader.ID == nil || !c.end.reached(p) || c.looks == maxLooks {
		return
	}
	c.looks++
	c.found = c.response.Answer().Message != nil
}

// valueEnd notices the end of an object or array in a stream of JSON, by counting brackets.
type valueEnd struct {
	depth             int
	inString, escaped bool
}

// reached says whether a value ends within the next bytes.
func (v *valueEnd) reached(p []byte) bool {
	ended := false
	for _, b := range p {
		switch {
		case v.escaped:
			v.escaped = false
		case v.inString:
			v.escaped = b == '\\'
			v.inString = b != '"'
		case b == '"':
			v.inString = v.depth > 0
		case b == '{' || b == '[':
			v.depth++
		case b == '}' || b == ']':
			v.depth--
			ended = ended || v.depth == 0
		}
	}
	return ended
}
