package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"slices"
	"strings"
)

// Framing is the form in which a response carried its content.
type Framing string

// The framings.
const (
	FramingNone        Framing = "none"         // no response
	FramingEmpty       Framing = "empty"        // a response without content
	FramingJSONObject  Framing = "json_object"  // one JSON-RPC message
	FramingJSONArray   Framing = "json_array"   // an array of values
	FramingSSE         Framing = "sse"          // an event stream, perhaps without a message
	FramingNDJSON      Framing = "ndjson"       // several JSON values, one a line
	FramingHTML        Framing = "html"         // a page
	FramingText        Framing = "text"         // anything else that does not claim to be JSON
	FramingInvalidJSON Framing = "invalid_json" // claims to be JSON and is not
	FramingNotJSONRPC  Framing = "not_jsonrpc"  // JSON, but no JSON-RPC message
	FramingUndecodable Framing = "undecodable"  // its content coding cannot be undone
)

// scan offers every message of the response to s and returns the framing of the content with its flaws.
func (e *Exchange) scan(s *AnswerScanner) (Framing, []Flaw) {
	if e.Status == 0 && len(e.Body) == 0 {
		return FramingNone, nil
	}
	body, flaws, err := e.Decoded(MaxBody)
	flaws = append(flaws, e.lengthFlaws()...)
	tooLarge := errors.Is(err, ErrTooLarge)
	if tooLarge || e.BodyTruncated {
		flaws = append(flaws, BodyTooLarge)
	}
	if err != nil && !tooLarge {
		return FramingUndecodable, flaws
	}
	label, labelled := e.ResponseHeader.Get("Content-Type")
	if !labelled && len(body) > 0 {
		flaws = append(flaws, ContentTypeMissing)
	}
	if len(content(body)) == 0 {
		if len(e.Body) > 0 && slices.Contains(flaws, EncodingIncomplete) {
			return FramingUndecodable, flaws
		}
		return FramingEmpty, flaws
	}
	framing, more := scanContent(label, body, s)
	coded := slices.Contains(flaws, EncodingMismatch) || slices.Contains(flaws, EncodingIncomplete)
	if coded && (framing == FramingInvalidJSON || framing == FramingText) {
		framing = FramingUndecodable
	}
	flaws = append(flaws, more...)
	if e.LeftOpen { // the cut is ours
		flaws = slices.DeleteFunc(flaws, func(f Flaw) bool { return f == UnterminatedEvent || f == EncodingIncomplete })
	}
	return framing, flaws
}

// lengthFlaws compares the lengths of a response that the server ended itself.
func (e *Exchange) lengthFlaws() []Flaw {
	byServer := !e.LeftOpen && (e.Failure == "" || e.Failure == HTTPReset || e.Failure == HTTPMalformed)
	if byServer && e.Status != 0 && e.DeclaredLength >= 0 && e.DeclaredLength != e.BodyLength {
		return []Flaw{LengthMismatch}
	}
	return nil
}

// IsEventStream says whether content is to be read as an event stream. A content type of text/event-stream says so
// unless the content begins like JSON or HTML; any other type, or none, says so only if it begins like an event stream. start
// is the decoded content or at least its first 8 bytes.
func IsEventStream(contentType string, start []byte) bool {
	if mediaType(contentType) == eventStream {
		text := content(start)
		return len(text) == 0 || text[0] != '{' && text[0] != '[' && text[0] != '<'
	}
	start = bytes.TrimPrefix(start, bom)
	for _, field := range []string{"data:", "event:", "id:", "retry:", ": ", ":\n", ":\r"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return true
		}
	}
	return false
}

// mediaType returns the type of a Content-Type value in lower case, without its parameters.
func mediaType(label string) string {
	if t, _, err := mime.ParseMediaType(label); err == nil {
		return t
	}
	t, _, _ := strings.Cut(label, ";") // broken parameters
	return strings.ToLower(strings.TrimSpace(t))
}

const eventStream = "text/event-stream"

func isHTMLType(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

func isJSONType(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json") || isNDJSONType(media)
}

func isNDJSONType(media string) bool {
	switch media {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-seq":
		return true
	}
	return false
}

// content returns the body without a byte order mark and white space before the first byte that means something.
func content(body []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(body, bom), " \t\r\n")
}

// scanContent offers every message of decoded content that is not empty.
func scanContent(label string, body []byte, s *AnswerScanner) (Framing, []Flaw) {
	media := mediaType(label)
	if IsEventStream(label, body) {
		framing, flaws := scanEvents(body, s)
		if media == eventStream {
			return framing, flaws
		}
		if s.values > 0 {
			return framing, append(flaws, mismatch(media)...)
		}
		return FramingText, nil // text that begins like a field of an event
	}
	first := content(body)[0]
	switch {
	case first == '{' || first == '[' || isJSONType(media) && first != '<':
		framing, flaws := scanJSON(body, isNDJSONType(media), s)
		switch {
		case isJSONType(media):
		case framing != FramingInvalidJSON:
			flaws = append(flaws, mismatch(media)...)
		case media != "" && media != eventStream:
			return FramingText, flaws // text that begins with a bracket
		}
		return framing, flaws
	case isHTMLType(media):
		return FramingHTML, nil
	case first == '<':
		return FramingHTML, mismatch(media)
	}
	return FramingText, nil
}

// mismatch flags a content type that was sent and is not that of the content.
func mismatch(media string) []Flaw {
	if media == "" {
		return nil
	}
	return []Flaw{ContentTypeMismatch}
}

func scanEvents(body []byte, s *AnswerScanner) (Framing, []Flaw) {
	events, flaws := Events(body)
	for _, event := range events {
		payload, ok := event.Payload()
		if ok && s.Offer(payload) && event.Type != MessageEvent {
			flaws = append(flaws, SSEEventType)
		}
	}
	switch {
	case s.messages > 0 || s.payloads == 0:
		return FramingSSE, flaws
	case s.values == 0:
		return FramingInvalidJSON, flaws
	}
	return FramingNotJSONRPC, flaws
}

func scanJSON(body []byte, lines bool, s *AnswerScanner) (Framing, []Flaw) {
	if content(body)[0] == '[' {
		if list, err := ReadArray(body); err == nil {
			for _, value := range list {
				s.Offer(value)
			}
			return FramingJSONArray, []Flaw{Batch}
		}
	}
	if values := jsonLines(body); len(values) > 1 || lines && len(values) == 1 {
		for _, value := range values {
			s.Offer(value)
		}
		return FramingNDJSON, nil
	}
	s.Offer(body)
	switch {
	case s.messages > 0:
		return FramingJSONObject, nil
	case s.values > 0:
		return FramingNotJSONRPC, nil
	}
	return FramingInvalidJSON, nil
}

// jsonLines splits content of several JSON objects with nothing but line ends between them. It returns nil when the
// content is anything else.
func jsonLines(body []byte) []json.RawMessage {
	s, _ := begin(body)
	var values []json.RawMessage
	for s.peek() == '{' {
		value, err := s.skip()
		if err != nil {
			return nil
		}
		values = append(values, value)
		behind := s.data[s.pos:]
		gap := behind[:len(behind)-len(bytes.TrimLeft(behind, " \t\r\n"))]
		if len(gap) < len(behind) && !bytes.ContainsRune(gap, '\n') {
			return nil
		}
	}
	if s.pos < len(s.data) {
		return nil
	}
	return values
}
