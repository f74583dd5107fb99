package dial

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"sync"
)

// conn hands HTTP/1 bytes to net/http only as far as they belong to the response that is being read.
//
// A server can send more than it announced: a longer body than its Content-Length, a body behind a 204, a second
// response. net/http would print such bytes to the global log, or read them as the response to the next request. So a
// read ends where a header can end, what follows is held back until the transport has said how long the body is, and
// bytes that belong to no response end the connection.
type conn struct {
	net.Conn
	tls *tls.ConnectionState // nil without TLS

	mu      sync.Mutex
	moved   sync.Cond // the phase changed
	phase   phase
	left    int64 // bytes of the body still to come; negative when unknown
	lines   lineScanner
	buffer  [16 << 10]byte
	pending []byte // read from the network and not handed out
}

type phase int

const (
	silent phase = iota // no request was written yet
	header              // a response header is expected
	held                // the header was handed out, the length of the body is not known here
	body                // a response body is expected
	over                // the response is complete
	closed
)

func newConn(inner net.Conn, state *tls.ConnectionState) *conn {
	c := &conn{Conn: inner, tls: state}
	c.moved.L = &c.mu
	return c
}

// Read hands out the next bytes that are expected.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for c.phase == silent || c.phase == held {
			c.moved.Wait()
		}
		if c.phase == closed {
			return 0, net.ErrClosed
		}
		if len(c.pending) > 0 {
			return c.handOut(p)
		}
		c.mu.Unlock()
		n, err := c.Conn.Read(c.buffer[:]) // net/http reads from one goroutine at a time
		c.mu.Lock()
		c.pending = c.buffer[:n]
		if n == 0 && err != nil {
			return 0, err // an error beside bytes comes again with the next read
		}
	}
}

// handOut copies what belongs to the response and moves to the next phase.
func (c *conn) handOut(p []byte) (int, error) {
	n := min(len(p), len(c.pending))
	switch {
	case c.phase == over:
		return 0, io.EOF // nobody asked for these bytes
	case c.phase == body && c.left >= 0:
		n = int(min(int64(n), c.left))
		c.left -= int64(n)
		if c.left == 0 {
			c.phase = over
		}
	default: // a header, or a body that ends in a way that only net/http can see, at an empty line or with the connection
		var ended bool
		n, ended = c.lines.scan(c.pending[:n])
		if ended && c.phase == header && !c.lines.interim() {
			c.phase = held
		}
		if ended {
			c.lines = lineScanner{}
		}
	}
	copy(p, c.pending[:n])
	c.pending = c.pending[n:]
	return n, nil
}

// Write sends a part of a request; the first one behind a response begins the next exchange.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.phase == silent || c.phase == over && len(c.pending) == 0 {
		c.lines = lineScanner{}
		c.move(header)
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// expect says how many bytes of body follow the header; negative means that only net/http can tell.
func (c *conn) expect(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != held {
		return
	}
	c.left = n
	if n == 0 {
		c.move(over)
		return
	}
	c.move(body)
}

// done says that the body was read to its end.
func (c *conn) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == body {
		c.move(over)
	}
}

// Close closes the connection.
func (c *conn) Close() error {
	c.mu.Lock()
	c.move(closed)
	c.mu.Unlock()
	return c.Conn.Close()
}

func (c *conn) move(to phase) {
	c.phase = to
	c.moved.Broadcast()
}

// lineScanner finds the first empty line, which ends a header, a chunked body and an event.
type lineScanner struct {
	start []byte // first bytes of the block
	text  bool   // the line so far holds something
	begun bool   // there was a line with something in it
}

// scan returns how many of the bytes lie before the end of the first empty line behind a line, and whether they hold it.
func (s *lineScanner) scan(p []byte) (int, bool) {
	for i, b := range p {
		if len(s.start) < len("HTTP/1.1 1") {
			s.start = append(s.start, b)
		}
		switch b {
		case '\n':
			if !s.text && s.begun {
				return i + 1, true
			}
			s.begun = s.begun || s.text
			s.text = false
		case '\r':
		default:
			s.text = true
		}
	}
	return len(p), false
}

// interim says whether the block is the header of a 1xx response, which another one follows.
func (s *lineScanner) interim() bool {
	return len(s.start) == len("HTTP/1.1 1") && bytes.HasPrefix(s.start, []byte("HTTP/")) && s.start[9] == '1'
}
