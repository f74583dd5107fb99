package probertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// answer is what a conforming server says to one request: a JSON-RPC message or a plain HTTP response.
type answer struct {
	status  int
	header  http.Header
	id      json.RawMessage
	result  string // raw JSON; this or failure is set in a message
	failure string // raw JSON of the error
	text    string // body without a message
	kind    string // content type of text
	reply   *Reply // bytes instead of all of this
}

func (a answer) isMessage() bool { return a.result != "" || a.failure != "" }

// message is the JSON-RPC response.
func (a answer) message() string {
	id := string(a.id)
	if id == "" {
		id = "null"
	}
	if a.failure != "" {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":` + a.failure + `}`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + a.result + `}`
}

func resultAnswer(q *request, result string) answer {
	return answer{status: http.StatusOK, id: q.id, result: result}
}

// errorAnswer has data as raw JSON, or "".
func errorAnswer(q *request, status, code int, message, data string) answer {
	return answer{status: status, id: q.id, failure: errorObject(code, message, data)}
}

func plainAnswer(status int, text string) answer {
	return answer{status: status, text: text, kind: "text/plain; charset=utf-8"}
}

func notAllowed(allow string) answer {
	a := plainAnswer(http.StatusMethodNotAllowed, "Method Not Allowed\n")
	a.header = http.Header{"Allow": {allow}}
	return a
}

func errorObject(code int, message, data string) string {
	object := `{"code":` + strconv.Itoa(code) + `,"message":` + quote(message)
	if data != "" {
		object += `,"data":` + data
	}
	return object + "}"
}

// versionError is -32022, or what an older server says in its place.
func versionError(q *request, s *Server, requested string) answer {
	data := fmt.Sprintf(`{"supported":%s,"requested":%s}`, quoteAll(s.supported()), quote(requested))
	return errorAnswer(q, http.StatusBadRequest, -32022, "Unsupported protocol version", data)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
