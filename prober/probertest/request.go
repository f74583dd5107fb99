package probertest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The members of _meta that a modern request must carry.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// request is one HTTP request, read once.
type request struct {
	http   *http.Request
	body   []byte
	valid  bool // the body is one JSON object
	batch  bool // the body is a JSON array
	method string
	id     json.RawMessage // nil for notifications
	params map[string]json.RawMessage
	meta   map[string]json.RawMessage // nil when absent
}

func readRequest(r *http.Request, body []byte) *request {
	q := &request{http: r, body: body}
	var message map[string]json.RawMessage
	if json.Unmarshal(body, &message) != nil {
		var batch []json.RawMessage
		q.batch = json.Unmarshal(body, &batch) == nil && batch != nil
		return q
	}
	q.valid = message != nil
	q.method = text(message["method"])
	q.id = message["id"]
	_ = json.Unmarshal(message["params"], &q.params) // params of another type are as good as none
	_ = json.Unmarshal(q.params["_meta"], &q.meta)
	return q
}

// text is the string that raw holds, or "".
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // not a string: ""
	return s
}

func (q *request) header(name string) string { return q.http.Header.Get(name) }

// tool is the name that a tools/call asks for.
func (q *request) tool() string {
	if q.method != "tools/call" {
		return ""
	}
	return text(q.params["name"])
}

func (q *request) metaVersion() string { return text(q.meta[metaVersion]) }

// looksModern: the client speaks the modern era, whether the server does or not.
func (q *request) looksModern() bool {
	if q.method == "initialize" {
		return false
	}
	_, stamped := q.meta[metaVersion]
	return q.method == "server/discover" || stamped || eraOf(q.header("Mcp-Protocol-Version")) == wire.Modern
}

// decodedName is the value of Mcp-Name, with the encoding for non-ASCII values undone.
func (q *request) decodedName() string {
	value := q.header("Mcp-Name")
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value
	}
	inner, ok = strings.CutSuffix(inner, "?=")
	decoded, err := base64.StdEncoding.DecodeString(inner)
	if !ok || err != nil {
		return value
	}
	return string(decoded)
}
