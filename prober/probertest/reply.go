package probertest

import (
	"compress/flate"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Reply is one answer, byte for byte. Body, Repeat, Chunks, Push and header values may hold templates:
//
//	{{id}}                      the request id as raw JSON, null when there is none
//	{{answer}}                  the JSON-RPC response that a conforming server would give
//	{{conforming_result}}       its result; the error object when it is an error
//	{{origin}}                  scheme, host and port as the client asked for them
//	{{params.protocolVersion}}  the version that the client asked for
//	{{tool}}                    the tool that the client called
type Reply struct {
	Status int // 0 means 200
	Header []wire.Field
	Body   string
	Repeat string        // follows Body, Count times
	Count  int           // negative means for ever
	Chunks []string      // follow, each sent at once
	Every  time.Duration // pause before each Repeat and chunk
	Encode string        // gzip, deflate or br: content coding of Body and what follows
	// Hijack writes all that straight on the connection: no status, no header but what Body holds.
	Hijack bool
	// Hang sends nothing at all until the client goes away.
	Hang bool
	// Push is sent on the open HTTP+SSE stream of the request's session, after the reply.
	Push string
	Then After
}

// After is what happens once the last byte of a reply is sent.
type After int

// The ends of a reply.
const (
	Finish   After = iota // the response ends in order
	HoldOpen              // nothing more, until the client goes away
	Cut                   // the connection is reset
)

// send writes the reply; fill replaces templates.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, p *Reply, fill func(string) string) {
	if p.Hang {
		h.waitGone(r)
		return
	}
	if p.Hijack {
		h.sendRaw(w, r, p, fill)
		return
	}
	for _, f := range p.Header {
		w.Header().Add(f.Name, fill(f.Value))
	}
	if _, typed := w.Header()["Content-Type"]; !typed {
		w.Header()["Content-Type"] = nil // or net/http would guess one
	}
	var out io.Writer = w
	var finish io.Closer
	switch p.Encode {
	case "gzip":
		z := gzip.NewWriter(w)
		out, finish = z, z
	case "deflate":
		z, err := flate.NewWriter(w, flate.DefaultCompression)
		if err != nil {
			panic(err) // the level is valid
		}
		out, finish = z, z
	case "br":
		z := brotli.NewWriter(w)
		out, finish = z, z
	}
	if p.Encode != "" {
		w.Header().Set("Content-Encoding", p.Encode)
	}
	w.WriteHeader(orOK(p.Status))
	controller := http.NewResponseController(w)
	if !h.write(out, r, p, fill, func() { _ = controller.Flush() }) {
		return
	}
	if finish != nil {
		_ = finish.Close() // fails only when the client is gone
	}
	switch p.Then {
	case HoldOpen:
		_ = controller.Flush()
		h.waitGone(r)
	case Cut:
		_ = controller.Flush()
		if conn, _, err := controller.Hijack(); err == nil {
			reset(conn)
		}
	}
}

func (h *Handler) sendRaw(w http.ResponseWriter, r *http.Request, p *Reply, fill func(string) string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // only HTTP/1.1 can be hijacked
	}
	defer func() { _ = conn.Close() }()
	gone := make(chan struct{})
	go func() { // the server no longer watches the connection
		_, _ = io.Copy(io.Discard, conn)
		close(gone)
	}()
	if !h.write(conn, r, p, fill, func() {}) {
		return
	}
	switch p.Then {
	case HoldOpen:
		select {
		case <-gone:
		case <-h.closed:
		}
	case Cut:
		reset(conn)
	}
}

// reset closes with RST instead of FIN.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // at worst the close is an ordinary one
	}
	_ = conn.Close()
}

// write is false when the client went away before the end.
func (h *Handler) write(out io.Writer, r *http.Request, p *Reply, fill func(string) string, flush func()) bool {
	if _, err := io.WriteString(out, fill(p.Body)); err != nil {
		return false
	}
	repeat, bulk := fill(p.Repeat), 1
	if p.Every == 0 && repeat != "" { // bigger writes for the big bodies
		bulk = max(1, 32<<10/len(repeat))
	}
	whole := strings.Repeat(repeat, bulk)
	for left := p.Count; left != 0 && repeat != ""; {
		n := bulk
		if left > 0 {
			n = min(bulk, left)
			left -= n
		}
		if !h.pause(r, p.Every) {
			return false
		}
		if _, err := io.WriteString(out, whole[:n*len(repeat)]); err != nil {
			return false
		}
		flush()
	}
	for _, piece := range p.Chunks {
		if !h.pause(r, p.Every) {
			return false
		}
		if _, err := io.WriteString(out, fill(piece)); err != nil {
			return false
		}
		flush()
	}
	return true
}

func (h *Handler) pause(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return !h.isClosed()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-h.closed:
	}
	return false
}

// waitGone returns when the client is gone or the handler is closed.
func (h *Handler) waitGone(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-h.closed:
	}
}

func orOK(status int) int {
	if status == 0 {
		return http.StatusOK
	}
	return status
}
