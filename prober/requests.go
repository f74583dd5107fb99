package prober

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// requestIDs are the ids of the requests of one session. They are fixed, so that equal servers give equal bytes, and
// differ between the sessions of a visit. Pages and calls are counted on from theirs.
type requestIDs struct{ hello, unknown, page, call int }

var (
	modernIDs = requestIDs{hello: 1, unknown: 3, page: 100, call: 1000}
	legacyIDs = requestIDs{hello: 2, unknown: 4, page: 200, call: 2000}
	sseIDs    = requestIDs{hello: 5, unknown: 6, page: 300, call: 3000}
)

// tryStep keeps the id of a second attempt apart from that of the first: an id must not be used twice in a session.
const tryStep = 10_000

// question is one message to send.
type question struct {
	step   wire.Step
	page   int
	id     int // 0 for a notification
	method string
	name   string // of the tool that is called
	params []string
	header wire.Header
}

// call writes the message for one attempt.
func (q question) call(try int) exchange.Call {
	c := exchange.Call{Step: q.step, Page: q.page, Try: try, Method: q.method, Name: q.name, Header: q.header}
	members := []string{`"jsonrpc":"2.0"`}
	if q.id != 0 {
		c.ID = json.RawMessage(strconv.Itoa(q.id + tryStep*(try-1)))
		members = append(members, `"id":`+string(c.ID))
	}
	members = append(members, `"method":`+quote(q.method))
	if q.params != nil {
		members = append(members, `"params":`+object(q.params...))
	}
	c.Body = []byte(object(members...))
	return c
}

func (v *visit) discover(s *session) question {
	return question{step: wire.StepDiscover, id: s.ids.hello, method: "server/discover", params: v.params(s)}
}

func (v *visit) initialize(s *session) question {
	return question{step: wire.StepInitialize, id: s.ids.hello, method: "initialize", params: []string{
		`"protocolVersion":` + quote(wire.OfferLegacy), `"capabilities":{}`, `"clientInfo":` + v.clientInfo(),
	}}
}

func initialized() question {
	return question{step: wire.StepInitialized, method: "notifications/initialized"}
}

// listTools asks for a page. cursor is the raw JSON of the cursor as it was received; nil for the first page.
func (v *visit) listTools(s *session, page int, cursor json.RawMessage) question {
	var own []string
	if cursor != nil {
		own = []string{`"cursor":` + string(cursor)}
	}
	return question{step: wire.StepListTools, page: page, id: s.ids.page + page, method: "tools/list", params: v.params(s, own...)}
}

func (v *visit) callUnknown(s *session) question {
	q := v.callTool(s, v.unknown, nil)
	q.step, q.id = wire.StepUnknownTool, s.ids.unknown
	return q
}

func (v *visit) callTool(s *session, tool string, arguments json.RawMessage) question {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return question{
		step: wire.StepCall, method: "tools/call", name: tool,
		params: v.params(s, `"name":`+quote(tool), `"arguments":`+string(bytes.TrimSpace(arguments))),
	}
}

// params adds the metadata that every request of the modern era carries.
func (v *visit) params(s *session, own ...string) []string {
	params := append([]string{}, own...)
	if s.era == wire.Modern {
		params = append(params, fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%s,`+
			`"io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":{}}`, quote(s.version), v.clientInfo()))
	}
	return params
}

func (v *visit) clientInfo() string {
	return object(`"name":`+quote(v.prober.Name), `"version":`+quote(v.prober.Version))
}

func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

// quote writes a JSON string, without the escapes that encoding/json adds for HTML.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
