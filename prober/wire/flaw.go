package wire

import "slices"

// Flaw is one way in which bytes from a server depart from what the standards ask for. The vocabulary is closed: the
// constants below are all of it. Flaws are facts for the classifiers; none of them is a verdict.
type Flaw string

// Flaws of JSON text (RFC 8259).
const (
	DuplicateKey    Flaw = "duplicate_key"    // the same key twice in one object; the first value is used
	CaseVariantKey  Flaw = "case_variant_key" // a key that only a reader blind to case takes for a known one
	InvalidUTF8     Flaw = "invalid_utf8"     // bytes that are not UTF-8
	TrailingBytes   Flaw = "trailing_bytes"   // something other than white space behind the value
	JSONBOM         Flaw = "json_bom"         // a byte order mark before the value
	NonFiniteNumber Flaw = "nonfinite_number" // NaN or Infinity where a value belongs: not JSON
	IncompleteJSON  Flaw = "incomplete_json"  // the bytes end inside the value
	TooDeep         Flaw = "too_deep"         // nested deeper than MaxDepth
)

// Flaws of JSON-RPC messages.
const (
	JSONRPCVersion     Flaw = "jsonrpc_version"       // member jsonrpc missing or not "2.0"
	IDTypeChanged      Flaw = "id_type_changed"       // same id in another type or spelling: "1" or 1.0 for 1
	IDIsNull           Flaw = "id_null"               // an answer with the id null
	IDIsMissing        Flaw = "id_missing"            // an answer without an id
	IDMismatch         Flaw = "id_mismatch"           // an answer to an id that was not asked
	BothResultAndError Flaw = "both_result_and_error" // members result and error in one message
	NestedEnvelope     Flaw = "nested_envelope"       // the result is a JSON-RPC message itself
	ErrorCodeType      Flaw = "error_code_type"       // code missing, no number, or not spelled as a plain integer
	ErrorNotObject     Flaw = "error_not_object"      // member error is no object
	DuplicateAnswer    Flaw = "duplicate_answer"      // a second answer to the same request
	Batch              Flaw = "batch"                 // messages inside an array
)

// Flaws of event streams (WHATWG HTML, "Server-sent events").
const (
	SSELineEnding     Flaw = "sse_line_ending"    // a line ended by CR alone: legal, and missed by many readers
	SSEBOM            Flaw = "sse_bom"            // a byte order mark at the start: legal
	SSEMultiline      Flaw = "sse_multiline"      // one event with several data lines: legal
	SSEEventType      Flaw = "sse_event_type"     // the answer came in an event that is not of type message
	UnterminatedEvent Flaw = "unterminated_event" // the stream ended inside an event; it was read all the same
)

// Flaws of HTTP content (RFC 9110).
const (
	LengthMismatch             Flaw = "length_mismatch"              // Content-Length is not the number of bytes received
	ContentEncodingUnsolicited Flaw = "content_encoding_unsolicited" // a coding that the request did not allow
	EncodingUnsupported        Flaw = "encoding_unsupported"         // a coding that is unknown here
	EncodingMismatch           Flaw = "encoding_mismatch"            // coded otherwise than Content-Encoding says
	EncodingIncomplete         Flaw = "encoding_incomplete"          // the coded bytes end early or are damaged; the part before is used
	BodyTooLarge               Flaw = "body_too_large"               // more than MaxBody bytes, received or decoded
	ContentTypeMissing         Flaw = "content_type_missing"         // content without a Content-Type
	ContentTypeMismatch        Flaw = "content_type_mismatch"        // the content is framed otherwise than Content-Type says
	AnswerOnOtherStream        Flaw = "answer_on_other_stream"       // the answer came elsewhere than the transport says
)

// Flaws returns the whole vocabulary, sorted. The published list is compared with it by a test.
func Flaws() []Flaw {
	return sorted([]Flaw{
		DuplicateKey, CaseVariantKey, InvalidUTF8, TrailingBytes, JSONBOM, NonFiniteNumber, IncompleteJSON, TooDeep,
		JSONRPCVersion, IDTypeChanged, IDIsNull, IDIsMissing, IDMismatch, BothResultAndError, NestedEnvelope,
		ErrorCodeType, ErrorNotObject, DuplicateAnswer, Batch,
		SSELineEnding, SSEBOM, SSEMultiline, SSEEventType, UnterminatedEvent,
		LengthMismatch, ContentEncodingUnsolicited, EncodingUnsupported, EncodingMismatch, EncodingIncomplete,
		BodyTooLarge, ContentTypeMissing, ContentTypeMismatch, AnswerOnOtherStream,
	})
}

// sorted returns the flaws in order and each once. It may reuse the slice.
func sorted(flaws []Flaw) []Flaw {
	slices.Sort(flaws)
	return slices.Compact(flaws)
}
