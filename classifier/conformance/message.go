package conformance

import (
	"fmt"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// jsonrpcMessage: what comes with status 2xx in answer to a request is one JSON-RPC message. With other statuses a
// server may send what it likes. JSON that is nothing like a message counts only after a handshake: without one it is
// the answer of a server that is no MCP server.
func jsonrpcMessage(v *visit, o *outcome) {
	for _, a := range v.answers {
		switch {
		case a.RequestID == nil || !a.succeeded():
		case a.Message != nil:
			label := ""
			switch {
			case a.Framing == wire.FramingJSONArray:
				label = "batch"
			case a.has(wire.BothResultAndError):
				label = "both_result_and_error"
			}
			o.unless(a.Seq, label, "the answer to "+string(a.Step)+" is no single JSON-RPC answer")
		case a.Framing == wire.FramingNotJSONRPC && (v.session(a) != nil || looksMeant(a)):
			label := "not_jsonrpc"
			switch {
			case a.has(wire.JSONRPCVersion):
				label = "jsonrpc_version"
			case a.has(wire.BothResultAndError):
				label = "both_result_and_error"
			}
			o.breach(a.Seq, label, "the answer to "+string(a.Step)+" is JSON, but no JSON-RPC 2.0 message")
		}
	}
	v.noAnswer(o, wire.StepListTools)
}

// looksMeant says whether JSON that is no message was meant as one: it has members that only such an answer has.
func looksMeant(a answered) bool {
	body, _, err := a.Decoded(wire.MaxBody)
	if err != nil {
		return false
	}
	m, _, err := wire.ReadObject(body)
	if err != nil {
		return false
	}
	_, hasID := m.Get("id")
	_, hasError := m.Get("error")
	return hasID && hasError || slices.ContainsFunc(m.Keys(), func(key string) bool {
		return slices.Contains([]string{"jsonrpc", "result", "protocolVersion", "supportedVersions", "serverInfo"}, key)
	})
}

// idEcho: an answer carries the id of its request, in the same type. An error without an id is allowed with a status of
// 400 and above, and where it says that the request could not be read.
func idEcho(v *visit, o *outcome) {
	for _, a := range v.answers {
		if a.RequestID == nil {
			continue
		}
		if a.Message == nil {
			if a.succeeded() && a.has(wire.IDMismatch) {
				o.breach(a.Seq, "id_other", fmt.Sprintf("the answer to request %s carries the id of another one", a.RequestID))
			}
			continue
		}
		label := map[wire.IDMatch]string{wire.IDLoose: "id_type_changed", wire.IDNull: "id_null", wire.IDMissing: "id_missing"}[a.IDMatch]
		if e := a.failed(); e != nil && label != "" && label != "id_type_changed" && (!a.succeeded() || unread(e)) {
			continue
		}
		o.unless(a.Seq, label, fmt.Sprintf("the answer to request %s has the id %s", a.RequestID, orAbsent(a.Message.ID)))
	}
	v.noAnswer(o, wire.StepListTools)
}

// unread says whether the error claims that the request could not be read.
func unread(e *wire.RPCError) bool {
	return e.CodeIsInt && (e.CodeInt == -32700 || e.CodeInt == -32600)
}

func orAbsent(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return string(raw)
}

// errorObject: an error has a code, an integer, and a message, a text.
func errorObject(v *visit, o *outcome) {
	for _, a := range v.answers {
		e := a.failed()
		if e == nil {
			continue
		}
		m, _, err := wire.ReadObject(a.Message.Raw)
		if err != nil {
			continue
		}
		raw, _ := m.Get("error")
		body, _, err := wire.ReadObject(raw)
		_, hasText := text(body, "message")
		label, detail := "", ""
		switch {
		case err != nil:
			label, detail = "error_not_object", "error is of type "+string(wire.KindOf(raw))
		case !e.CodeIsInt:
			label, detail = "error_code_type", "error.code is "+orAbsent(e.Code)
		case !hasText:
			label, detail = "error_message_type", "error.message is "+kindOf(body, "message")
		}
		o.unless(a.Seq, label, detail)
	}
	v.noAnswer(o, wire.StepUnknownTool)
}

// jsonText: an answer is valid JSON in UTF-8, one value, without a byte order mark.
func jsonText(v *visit, o *outcome) {
	for _, a := range v.answers {
		if a.RequestID == nil || !a.succeeded() || a.Failure != "" {
			continue
		}
		label := ""
		switch {
		case a.has(wire.NonFiniteNumber):
			label = "nonfinite_number"
		case a.has(wire.InvalidUTF8):
			label = "invalid_utf8"
		case a.Framing == wire.FramingInvalidJSON && a.has(wire.IncompleteJSON):
			label = "incomplete_json"
		case a.Framing == wire.FramingInvalidJSON:
			label = "not_json"
		case a.has(wire.JSONBOM):
			label = "json_bom"
		case a.Framing == wire.FramingNDJSON:
			label = "several_values"
		case a.has(wire.TrailingBytes):
			label = "trailing_bytes"
		case a.Message == nil:
			continue
		}
		o.unless(a.Seq, label, "the content that answers "+string(a.Step))
	}
	v.noAnswer(o, wire.StepListTools)
}

// notification: a notification is not answered. The label of a kept rule tells the status: 202 is what the text asks
// for; clients accept every other 2xx, so that one is only told.
func notification(v *visit, o *outcome) {
	for _, a := range v.answers {
		if a.Step != wire.StepInitialized || a.Status == 0 {
			continue
		}
		if message := answerInBody(a); a.succeeded() && message != "" {
			o.breach(a.Seq, "answered", "the notification was answered by a JSON-RPC "+message)
			continue
		}
		o.keep(a.Seq)
		switch {
		case a.Status == 202:
			o.label = "status_202"
		case a.succeeded():
			o.label = "status_other_2xx"
		default:
			o.label = "refused"
		}
	}
	v.noEraUnlessSpoken(o, wire.Legacy)
	v.noAnswer(o, wire.StepInitialized)
}

// answerInBody returns the type of a result or an error in the response to a notification, or nothing.
func answerInBody(a answered) string {
	body, _, err := a.Decoded(wire.MaxBody)
	if err != nil {
		return ""
	}
	payloads := [][]byte{body}
	label, _ := a.ResponseHeader.Get("Content-Type")
	if wire.IsEventStream(label, body) {
		payloads = nil
		events, _ := wire.Events(body)
		for _, e := range events {
			if payload, ok := e.Payload(); ok {
				payloads = append(payloads, payload)
			}
		}
	}
	for _, payload := range payloads {
		if m, err := wire.ReadMessage(payload); err == nil && (m.Type == wire.TypeResult || m.Type == wire.TypeError) {
			return string(m.Type)
		}
	}
	return ""
}

// contentType: over streamable HTTP what answers a request with status 2xx is application/json or text/event-stream,
// and is what it says.
func contentType(v *visit, o *outcome) {
	for _, a := range v.answers {
		if a.Transport != wire.StreamableHTTP || a.RequestID == nil || !a.succeeded() || a.Message == nil && v.session(a) == nil {
			continue
		}
		if a.Message == nil && a.Failure != "" {
			continue
		}
		label := ""
		field, _ := a.ResponseHeader.Get("Content-Type")
		media := classifier.MediaType(field)
		switch isStream := a.Framing == wire.FramingSSE; {
		case media == "":
			label = "content_type_missing"
		case media != "application/json" && media != "text/event-stream":
			label = "content_type_other"
		case a.Message != nil && a.Via == wire.ViaBody && isStream != (media == "text/event-stream"):
			label = "content_type_mismatch"
		}
		detail := fmt.Sprintf("the answer to %s has the content type %q", a.Step, media)
		if media == "" {
			detail = fmt.Sprintf("the answer to %s has no content type", a.Step)
		}
		o.unless(a.Seq, label, detail)
	}
	v.noStreamable(o)
}

// noStreamable says why a rule of streamable HTTP has nothing to look at.
func (v *visit) noStreamable(o *outcome) {
	if v.anySession(o) && !slices.ContainsFunc(v.sessions, func(s session) bool { return s.Transport == wire.StreamableHTTP }) {
		o.none(classifier.NotApplicable, otherTransport)
	}
}

// sessionID: a session id, if the server gives one, is made of visible ASCII characters.
func sessionID(v *visit, o *outcome) {
	for _, a := range v.answers {
		if a.Transport != wire.StreamableHTTP || a.Step != wire.StepInitialize || v.session(a) == nil {
			continue
		}
		label := ""
		if id, given := a.ResponseHeader.Get("Mcp-Session-Id"); given && !classifier.IsVisibleASCII(id) {
			label = "not_visible_ascii"
		}
		o.unless(a.Seq, label, "the session id is empty, or holds a character outside 0x21 to 0x7E")
	}
	v.noStreamable(o)
	v.noEraUnlessSpoken(o, wire.Legacy)
}

// noEraUnlessSpoken says why there is no session of the era, if there is none.
func (v *visit) noEraUnlessSpoken(o *outcome, era wire.Era) {
	if !slices.ContainsFunc(v.sessions, func(s session) bool { return s.Era == era }) {
		v.noEra(o, era)
	}
}
