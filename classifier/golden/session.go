package golden

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// UnknownTool is the name of the tool that cannot exist, in transcripts written by hand.
const UnknownTool = "census_no_such_tool_0badc0de"

// Session writes a transcript exchange by exchange. The zero value is an empty main visit to an endpoint that declares
// streamable HTTP.
type Session struct {
	t        wire.Transcript
	sse      int // Seq of the open stream of HTTP+SSE
	declared bool
}

// Response is what came back for a request. The zero value is a status of 200 without content.
type Response struct {
	Status  int    // 0 is read as 200 unless there is a Failure
	Type    string // Content-Type; empty is read as application/json when there is a body
	Body    string
	Failure wire.Failure
}

// JSON is a response with status 200.
func JSON(body string) Response { return Response{Body: body} }

// Result is a response with that result, in the envelope of a request with the id %d, which the session fills in.
func Result(result string) Response { return JSON(`{"jsonrpc":"2.0","id":%d,"result":` + result + `}`) }

// RPCError is a response with that error member.
func RPCError(status int, e string) Response {
	return Response{Status: status, Body: `{"jsonrpc":"2.0","id":%d,"error":` + e + `}`}
}

// HTML is a page.
func HTML(status int) Response {
	return Response{Status: status, Type: "text/html; charset=utf-8", Body: "<!doctype html><title>Hello</title>"}
}

// Fails is a request without a response header.
func Fails(f wire.Failure) Response { return Response{Failure: f} }

// Initialized is an InitializeResult that accepts the offer and declares tools.
func Initialized() Response {
	return Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
}

// Discovered is a DiscoverResult that names the modern revision and declares tools.
func Discovered() Response {
	return Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
}

// NotFound is a plain 404.
func NotFound() Response { return Response{Status: 404, Type: "text/plain", Body: "not found"} }

// idOf returns the request id of a step. Ids are fixed, so that equal servers give equal bytes.
func idOf(step wire.Step) (id int, ok bool) {
	switch step {
	case wire.StepDiscover, wire.StepInitialize:
		return 1, true
	case wire.StepListTools:
		return 2, true
	case wire.StepUnknownTool:
		return 3, true
	}
	return 0, false
}

// Discover asks for the modern era.
func (s *Session) Discover(r Response) *Session {
	return s.add(wire.Modern, wire.StreamableHTTP, wire.StepDiscover, 0, r)
}

// Initialize asks for the legacy era.
func (s *Session) Initialize(r Response) *Session {
	return s.add(wire.Legacy, wire.StreamableHTTP, wire.StepInitialize, 0, r)
}

// List asks for a page of tools.
func (s *Session) List(era wire.Era, page int, r Response) *Session {
	return s.add(era, wire.StreamableHTTP, wire.StepListTools, page, r)
}

// Call calls the tool that cannot exist.
func (s *Session) Call(era wire.Era, r Response) *Session {
	return s.add(era, wire.StreamableHTTP, wire.StepUnknownTool, 0, r)
}

// OpenStream opens the event stream of HTTP+SSE. Its body holds the endpoint event and the answers to come.
func (s *Session) OpenStream(r Response) *Session {
	s.add(wire.Legacy, wire.HTTPSSE, wire.StepOpenStream, 0, r)
	s.sse = len(s.t.Exchanges)
	return s
}

// Post sends a request over the open stream of HTTP+SSE, accepted with 202.
func (s *Session) Post(step wire.Step, page int) *Session {
	s.add(wire.Legacy, wire.HTTPSSE, step, page, Response{Status: 202})
	s.t.Exchanges[len(s.t.Exchanges)-1].StreamOf = s.sse
	return s
}

// Declares sets the transports that the registry declares.
func (s *Session) Declares(transports ...wire.Transport) *Session {
	s.declared = true
	s.t.Declared = transports
	return s
}

// Ends sets why the probe ended.
func (s *Session) Ends(e wire.Ended) *Session {
	s.t.Ended = e
	return s
}

// Transcript returns the transcript.
func (s *Session) Transcript() *wire.Transcript {
	t := s.t
	t.Target, t.Purpose, t.Visit, t.UnknownTool = "https://quirk.example/mcp", wire.Main, 1, UnknownTool
	if !s.declared {
		t.Declared = []wire.Transport{wire.StreamableHTTP}
	}
	if t.Ended == "" {
		t.Ended = wire.EndedDone
	}
	return &t
}

func (s *Session) add(era wire.Era, transport wire.Transport, step wire.Step, page int, r Response) *Session {
	e := wire.Exchange{
		Seq: len(s.t.Exchanges) + 1, Era: era, Transport: transport, Step: step, Page: page, Try: 1,
		Method: "POST", URL: "https://quirk.example/mcp", Status: r.Status, Failure: r.Failure, DeclaredLength: -1,
	}
	for _, earlier := range s.t.Exchanges {
		if earlier.Era == era && earlier.Transport == transport && earlier.Step == step && earlier.Page == page {
			e.Try++
		}
	}
	body := r.Body
	if id, ok := idOf(step); ok {
		e.RequestID = json.RawMessage(strconv.Itoa(id))
		e.RequestBody = []byte(request(step))
		if r.Type == "" && len(body) > 0 {
			body = fill(body, id)
		}
	}
	if step == wire.StepOpenStream {
		e.Method = "GET"
	}
	if r.Failure == "" && r.Status == 0 {
		e.Status = 200
	}
	e.Body, e.BodyLength = []byte(body), int64(len(body))
	if e.Status != 0 {
		e.Proto = "HTTP/1.1"
	}
	if contentType := r.Type; contentType != "" || body != "" {
		if contentType == "" {
			contentType = "application/json"
		}
		e.ResponseHeader = wire.Header{{Name: "Content-Type", Value: contentType}}
	}
	s.t.Exchanges = append(s.t.Exchanges, e)
	return s
}

// fill puts the id of the request into the envelope.
func fill(body string, id int) string {
	const mark = `"id":%d`
	for i := range len(body) - len(mark) + 1 {
		if body[i:i+len(mark)] == mark {
			return body[:i] + fmt.Sprintf(`"id":%d`, id) + body[i+len(mark):]
		}
	}
	return body
}

func request(step wire.Step) string {
	switch step {
	case wire.StepInitialize:
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + wire.OfferLegacy + `"}}`
	case wire.StepDiscover:
		return `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + wire.OfferModern + `"}}}`
	}
	return ""
}
