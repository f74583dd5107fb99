package classifier

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"mime"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// EvidenceHash is a hash of everything in the transcript that the classifier may look at: equal hashes mean equal
// findings, so that an unchanged endpoint needs no new ones. It covers the outcome and end of the visit (and so our
// decision to visit nobody), whether a fault of ours kept us from trying, the declared transports and, of each exchange of a step that the classifier reads, its place, status, media type and failure, the
// revision offered, and the JSON-RPC answer byte for byte (without one, the decoded content). It covers nothing
// volatile: no times, addresses, session ids (only that one has characters that it must not have), nor other header
// fields. Of an allowed call it covers the request too.
func EvidenceHash(c Classifier, t *wire.Transcript) [32]byte {
	w := digest{sha256.New()}
	w.text("mcpcensus evidence 1", t.Outcome(), string(t.Ended))
	if ownFault(t) {
		w.text("fault")
	}
	w.number(len(t.Declared))
	for _, transport := range t.Declared {
		w.text(string(transport))
	}
	for i := range t.Exchanges {
		if e := &t.Exchanges[i]; slices.Contains(c.Reads, e.Step) {
			w.exchange(t, e)
		}
	}
	return [32]byte(w.Sum(nil))
}

// digest writes values with their lengths, so that no two lists of values look alike.
type digest struct{ hash.Hash }

func (w digest) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(int64(n)))
	w.Write(b[:]) // a hash never fails
}

func (w digest) bytes(b []byte) {
	w.number(len(b))
	w.Write(b)
}

func (w digest) text(values ...string) {
	for _, v := range values {
		w.bytes([]byte(v))
	}
}

func (w digest) exchange(t *wire.Transcript, e *wire.Exchange) {
	w.number(e.Seq)
	w.text(string(e.Era), string(e.Transport), string(e.Step))
	w.number(e.Page)
	w.number(e.Try)
	w.number(e.StreamOf)
	w.number(e.Status)
	contentType, _ := e.ResponseHeader.Get("Content-Type")
	w.text(MediaType(contentType), string(e.Failure), offered(e))
	w.bytes(e.RequestID)
	if id, given := e.ResponseHeader.Get("Mcp-Session-Id"); given && !IsVisibleASCII(id) {
		w.text("session id that must not be")
	}
	if e.Step == wire.StepCall {
		w.bytes(e.RequestBody) // the tool and the arguments, which nothing volatile goes into
	}
	a := t.Answer(e.Seq)
	w.text(string(a.Framing), string(a.IDMatch))
	if a.Message != nil {
		w.text("message")
		w.bytes(a.Message.Raw)
		return
	}
	if e.Step == wire.StepOpenStream {
		// The endpoint event holds a session id; the answers on the stream belong to the exchanges that asked.
		w.text("stream")
		return
	}
	body, _, _ := e.Decoded(wire.MaxBody) // what can be decoded is what the classifiers see
	w.text("content")
	w.bytes(body)
}

// MediaType returns a media type in lower case without its parameters (RFC 9110 §8.3.1).
func MediaType(contentType string) string {
	if t, _, err := mime.ParseMediaType(contentType); err == nil {
		return t
	}
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// IsVisibleASCII says whether text is made of the characters 0x21 to 0x7E, and of at least one: the form of a session
// id (MCP 2025-03-26 to 2025-11-25, basic/transports, Session Management).
func IsVisibleASCII(text string) bool {
	for _, c := range []byte(text) {
		if c < 0x21 || c > 0x7e {
			return false
		}
	}
	return text != ""
}
