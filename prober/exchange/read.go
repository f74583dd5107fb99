package exchange

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Reader says what a response is read for.
type Reader struct {
	// ID is the id of the request whose answer is waited for; nil when none is. An event stream in which nothing is
	// waited for is left open by us at once, unless All is set.
	ID json.RawMessage
	// Event, if set, sees every event of an event stream, in the goroutine that reads.
	Event func(wire.Event)
	// All reads an event stream until it ends.
	All bool
}

// Read reads the body until it ends, or until the answer is there and the response has had a moment to end. The bytes
// are kept as received; a copy is decoded on the way. It does nothing when the response is not open.
func (r *Response) Read(reader Reader) {
	if !r.Open() {
		return
	}
	label, _ := r.Exchange.ResponseHeader.Get("Content-Type")
	if reader.ID == nil && !reader.All && wire.IsEventStream(label, nil) {
		r.linger()
	}
	raw := &capture{response: r}
	c := &content{label: label, reader: reader, response: r, answer: wire.NewAnswerScanner(reader.ID)}
	err := r.decode(raw, c)
	if !isLimit(err) {
		// The end or a fault of a content coding is not the end of the response.
		_, _ = io.Copy(io.Discard, raw)   // the error is in raw
		if err = raw.err; err == io.EOF { //nolint:errorlint // the end is io.EOF itself (io.Reader); wrapped, it is a failure
			err = nil
		}
	}
	c.close()
	r.end(err, wire.HTTPTimeoutBody)
}

// decode feeds the decoded body to c as it arrives, until the end, an error or a limit.
func (r *Response) decode(raw *capture, c *content) error {
	decoded, err := wire.NewDecoder(contentCodings(r.Exchange.ResponseHeader), raw, r.recorder.config.Limits.Body)
	if err != nil {
		return err
	}
	chunk := make([]byte, 32<<10)
	lingering := false
	for err == nil {
		var n int
		n, err = decoded.Read(chunk)
		if limit := c.write(chunk[:n]); limit != nil {
			return limit
		}
		if c.found && !lingering {
			lingering = true
			r.linger()
		}
	}
	return err
}

func isLimit(err error) bool {
	for _, limit := range []error{errTooLarge, wire.ErrTooLarge, wire.ErrTooManyEvents, wire.ErrEventTooLarge} {
		if errors.Is(err, limit) {
			return true
		}
	}
	return false
}

func contentCodings(h wire.Header) string {
	var values []string
	for _, f := range h {
		if strings.EqualFold(f.Name, "Content-Encoding") {
			values = append(values, f.Value)
		}
	}
	return strings.Join(values, ",")
}

// Answer finds the answer to the request in the response itself, as the classifiers will find it.
func (r *Response) Answer() wire.Answer {
	if r.answer != nil {
		return *r.answer
	}
	alone := wire.Transcript{Exchanges: []wire.Exchange{*r.Exchange}}
	answer := alone.Answer(r.Exchange.Seq)
	if !r.Open() {
		r.answer = &answer
	}
	return answer
}

// capture keeps the bytes of a body as they are received.
type capture struct {
	response *Response
	err      error // the end of the body, once it was reached
}

// Read reads the body, within the caps.
func (c *capture) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.response.body.Read(p)
	e := c.response.Exchange
	e.BodyLength += int64(n)
	kept := c.response.recorder.allowance(n, int64(len(e.Body)))
	e.Body = append(e.Body, p[:kept]...)
	if kept < n {
		e.BodyTruncated = true
		err = errTooLarge
	}
	c.err = err
	return kept, err
}
