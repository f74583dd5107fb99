package wire

import (
	"encoding/json"
)

// MessageType is what a JSON-RPC message is.
type MessageType string

// The types of messages.
const (
	TypeRequest      MessageType = "request"
	TypeNotification MessageType = "notification"
	TypeResult       MessageType = "result"
	TypeError        MessageType = "error"
	TypeInvalid      MessageType = "invalid" // a JSON object that is none of these
)

// Message is one JSON-RPC 2.0 message, read strictly. Members are slices of Raw.
type Message struct {
	Raw    []byte
	Type   MessageType
	ID     json.RawMessage // as sent; nil when absent
	Method string
	Result json.RawMessage // nil when absent
	Error  *RPCError       // nil when absent or null
	Flaws  []Flaw          // sorted
}

// RPCError is the error member of a message.
type RPCError struct {
	Code      json.RawMessage // as sent; nil when absent
	CodeInt   int64           // the value of Code when CodeIsInt, cut to the range of an int64
	CodeIsInt bool            // Code is a number of integral value, such as -32602 or -32602.0
	Message   string          // empty when absent or no string
	Data      json.RawMessage // nil when absent
}

// ReadMessage reads one JSON-RPC message. It returns an error, which wraps ErrInvalidJSON or ErrNotObject, when raw is
// no JSON object at all; even then Flaws is filled. An object that is no JSON-RPC message has the type TypeInvalid, and
// whatever members it has are filled in for those who want to describe it.
//
// The rules: jsonrpc must be "2.0"; a method (a string) makes a request when there is an id and a notification when
// there is none; otherwise exactly one of result and error makes an answer, where an error of null counts as absent,
// and so does a result of null beside an error. An error that is no object still is an error, flagged.
func ReadMessage(raw []byte) (Message, error) {
	m := Message{Raw: raw, Type: TypeInvalid}
	o, flaws, err := ReadObject(raw)
	if err != nil {
		m.Flaws = flaws
		return m, err
	}
	if len(CaseVariants(o, "jsonrpc", "id", "method", "params", "result", "error")) > 0 {
		flaws = append(flaws, CaseVariantKey)
	}
	version, _ := o.Get("jsonrpc")
	text, _ := ReadString(version)
	if text != "2.0" {
		flaws = append(flaws, JSONRPCVersion)
	}
	m.ID, _ = o.Get("id")
	m.Result, _ = o.Get("result")
	failure, hasError := o.Get("error")
	if hasError && m.Result != nil {
		flaws = append(flaws, BothResultAndError)
	}
	if KindOf(failure) == KindNull {
		failure = nil
	}
	if failure != nil {
		var more []Flaw
		m.Error, more = readError(failure)
		flaws = append(flaws, more...)
	}
	method, hasMethod := o.Get("method")
	m.Method, _ = ReadString(method)

	if text == "2.0" {
		m.Type = typeOf(m, hasMethod)
	}
	if m.Type == TypeResult || m.Type == TypeError {
		flaws = append(flaws, answerFlaws(m)...)
	}
	m.Flaws = sorted(flaws)
	return m, nil
}

func typeOf(m Message, hasMethod bool) MessageType {
	hasResult := m.Result != nil
	switch {
	case hasMethod && (hasResult || m.Error != nil || m.Method == ""):
		return TypeInvalid
	case hasMethod && m.ID == nil:
		return TypeNotification
	case hasMethod:
		return TypeRequest
	case m.Error != nil && (!hasResult || KindOf(m.Result) == KindNull):
		return TypeError
	case m.Error == nil && hasResult:
		return TypeResult
	}
	return TypeInvalid
}

func answerFlaws(m Message) []Flaw {
	var flaws []Flaw
	switch KindOf(m.ID) {
	case KindInvalid:
		flaws = append(flaws, IDIsMissing)
	case KindNull:
		flaws = append(flaws, IDIsNull)
	}
	if m.Type == TypeResult && isEnvelope(m.Result) {
		flaws = append(flaws, NestedEnvelope)
	}
	return flaws
}

// isEnvelope says whether a result is a whole JSON-RPC message again.
func isEnvelope(result json.RawMessage) bool {
	if KindOf(result) != KindObject {
		return false
	}
	o, _, err := ReadObject(result)
	if err != nil {
		return false
	}
	_, hasVersion := o.Get("jsonrpc")
	for _, key := range []string{"result", "error", "method"} {
		if _, ok := o.Get(key); ok && hasVersion {
			return true
		}
	}
	return false
}

func readError(raw json.RawMessage) (*RPCError, []Flaw) {
	o, flaws, err := ReadObject(raw)
	if err != nil {
		return &RPCError{}, []Flaw{ErrorNotObject}
	}
	if len(CaseVariants(o, "code", "message", "data")) > 0 {
		flaws = append(flaws, CaseVariantKey)
	}
	e := &RPCError{}
	var plain bool
	e.Code, _ = o.Get("code")
	e.CodeInt, plain, e.CodeIsInt = ReadInt(e.Code)
	if !plain {
		flaws = append(flaws, ErrorCodeType)
	}
	message, _ := o.Get("message")
	e.Message, _ = ReadString(message)
	e.Data, _ = o.Get("data")
	return e, flaws
}
