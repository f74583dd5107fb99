package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// MaxBody is the most that is kept of one response, in bytes: as received, and again when decoded.
const MaxBody = 8 << 20

// maxCodings is how many content codings in a row are undone.
const maxCodings = 4

// Errors of decoding.
var (
	ErrTooLarge            = errors.New("content is larger than the cap")
	ErrEncodingUnsupported = errors.New("content coding not supported")
)

// Decoded undoes the content codings of the stored body (RFC 9110 §8.4): gzip, x-gzip, deflate (with and without the
// zlib wrapper), br and zstd, several in a row. It returns at most max bytes.
//
// A body that is plain in spite of its label, or gzip or zstd without a label, is read as what it is and flagged
// encoding_mismatch. When the coded bytes end early or are damaged, what was decoded before is returned and flagged
// encoding_incomplete, without an error. The errors are ErrTooLarge, beside the first max bytes, and
// ErrEncodingUnsupported.
func (e *Exchange) Decoded(max int64) ([]byte, []Flaw, error) {
	label := e.ResponseHeader.all("Content-Encoding")
	var flaws []Flaw
	if unsolicited(label, e.RequestHeader) {
		flaws = append(flaws, ContentEncodingUnsolicited)
	}
	src, more, err := decoder(label, bytes.NewReader(e.Body), max)
	flaws = append(flaws, more...)
	if err != nil {
		return nil, sorted(flaws), err
	}
	body, err := io.ReadAll(src)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		flaws = append(flaws, EncodingIncomplete)
		err = nil
	}
	return body, sorted(flaws), err
}

// NewDecoder undoes content codings while the bytes arrive, by the rules of [Exchange.Decoded]: contentEncoding is the
// value of the header field, or all its values joined by commas. It gives out what can be decoded as soon as it is
// received. A Read beyond max bytes returns ErrTooLarge; other errors mean that the coded bytes end early, are
// damaged, or could not be read. NewDecoder itself reads the first few bytes of src.
func NewDecoder(contentEncoding string, src io.Reader, max int64) (io.Reader, error) {
	r, _, err := decoder(contentEncoding, src, max)
	return r, err
}

func decoder(label string, src io.Reader, max int64) (io.Reader, []Flaw, error) {
	codings := codingsOf(label)
	if len(codings) > maxCodings {
		return nil, []Flaw{EncodingUnsupported}, fmt.Errorf("%w: more than %d in a row", ErrEncodingUnsupported, maxCodings)
	}
	var flaws []Flaw
	in := bufio.NewReader(src)
	if len(codings) == 0 {
		if coding := sniffCoding(in); coding != "" {
			codings = []string{coding}
			flaws = append(flaws, EncodingMismatch)
		}
	}
	for i := len(codings) - 1; i >= 0; i-- { // the last one was applied last
		if !known(codings[i]) {
			flaws = append(flaws, EncodingUnsupported)
			if !looksPlain(in) {
				return nil, flaws, fmt.Errorf("%w: %.40q", ErrEncodingUnsupported, codings[i])
			}
		}
		if !fits(codings[i], in) {
			flaws = append(flaws, EncodingMismatch)
			continue
		}
		layer, err := undo(codings[i], in)
		if err != nil {
			return failing{err}, flaws, nil //nolint:nilerr // the first read returns it
		}
		in = bufio.NewReader(&capped{src: layer, left: max})
	}
	return &capped{src: in, left: max}, flaws, nil
}

// codingsOf splits a Content-Encoding value, in the order applied, without the codings that change nothing.
func codingsOf(label string) []string {
	var codings []string
	for part := range strings.SplitSeq(label, ",") {
		coding := strings.ToLower(strings.TrimSpace(part))
		if coding != "" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return codings
}

func known(coding string) bool {
	switch coding {
	case "gzip", "x-gzip", "deflate", "br", "zstd":
		return true
	}
	return false
}

// undo returns a reader of the decoded bytes. Each of them gives out a flushed block without waiting for the next.
func undo(coding string, in *bufio.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(in)
	case "deflate":
		if isZlib(start(in, 2)) {
			return zlib.NewReader(in)
		}
		return flate.NewReader(in), nil // a common mistake: RFC 9110 §8.4.1.2 asks for the zlib wrapper
	case "br":
		return brotli.NewReader(in), nil
	default: // zstd, with the window that RFC 9659 allows on the web, and no goroutines
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(8<<20))
	}
}

// start returns up to n bytes without taking them.
func start(in *bufio.Reader, n int) []byte {
	head, _ := in.Peek(n) // an error comes again with the next read
	return head
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// sniffCoding recognises the codings that begin with a mark of their own.
func sniffCoding(in *bufio.Reader) string {
	switch {
	case bytes.Equal(start(in, 2), gzipMagic):
		return "gzip"
	case bytes.Equal(start(in, 2), zstdMagic[:2]) && bytes.Equal(start(in, 4), zstdMagic):
		return "zstd"
	}
	return ""
}

// fits says whether the bytes can be what the label says. Empty content fits every label.
func fits(coding string, in *bufio.Reader) bool {
	switch coding {
	case "gzip", "x-gzip":
		head := start(in, 2)
		return bytes.HasPrefix(gzipMagic, head)
	case "zstd":
		head := start(in, 4)
		return bytes.HasPrefix(zstdMagic, head) || len(head) == 4 && head[0]>>4 == 5 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18})
	case "deflate":
		return isZlib(start(in, 2)) || !looksPlain(in)
	case "br":
		return !looksPlain(in)
	}
	return false
}

// isZlib checks the two header bytes of RFC 1950: deflate, and a check sum that is a multiple of 31.
func isZlib(head []byte) bool {
	return len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0
}

// looksPlain says whether the bytes begin like JSON, HTML or an event stream. It looks at five bytes only, so that a
// slow stream does not have to send more. Coded content that begins so by chance would be one in millions.
func looksPlain(in *bufio.Reader) bool {
	head := start(in, 5)
	for _, field := range []string{"data:", "event", "retry", "id:", ": ", ":\n", "<!", "<html"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true
		}
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) == 0 {
		return len(head) == 5
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	switch text[0] {
	case '{':
		return len(rest) == 0 && len(head) > 1 || len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	case '[':
		return len(rest) > 1 && rest[0] == '{' && (rest[1] == '"' || rest[1] == ' ' || rest[1] == '\n' || rest[1] == '\r')
	}
	return false
}

// unsolicited says whether the label names a coding that the Accept-Encoding of the request does not allow. Without
// that field every coding is allowed (RFC 9110 §12.5.3).
func unsolicited(label string, request Header) bool {
	if _, sent := request.Get("Accept-Encoding"); !sent {
		return false
	}
	accepted := map[string]bool{}
	for part := range strings.SplitSeq(request.all("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(part, ";")
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
		accepted[strings.ToLower(strings.TrimSpace(name))] = err != nil || q > 0
	}
	for _, coding := range codingsOf(label) {
		allowed, named := accepted[coding]
		if !named {
			allowed = accepted["*"]
		}
		if !allowed {
			return true
		}
	}
	return false
}

// all returns the values of every field of that name, joined by commas.
func (h Header) all(name string) string {
	var values []string
	for _, f := range h {
		if equalFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return strings.Join(values, ",")
}

// capped reads at most left bytes and then returns ErrTooLarge if there are more.
type capped struct {
	src  io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.left <= 0 {
		var one [1]byte
		for {
			n, err := c.src.Read(one[:])
			if n > 0 {
				return 0, ErrTooLarge
			}
			if err != nil {
				return 0, err
			}
		}
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.src.Read(p)
	c.left -= int64(n)
	return n, err
}

// failing is content whose coding is broken from the first byte.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
