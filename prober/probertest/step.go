package probertest

import (
	"net/http"
	"strings"
)

// Step replaces the answer to the requests that it matches.
type Step struct {
	// On is a JSON-RPC method, an HTTP method (GET, POST, DELETE), "request" (every JSON-RPC request, not the
	// notifications), or "any".
	On string
	// Path restricts the step to one path; empty means every path.
	Path string
	// Nth is the match that is answered, from 1; 0 means each.
	Nth int
	// When restricts it further; nil means always.
	When func(*http.Request) bool
	Reply
}

func (s *Step) matches(q *request) bool {
	if s.Path != "" && s.Path != q.http.URL.Path {
		return false
	}
	switch s.On {
	case "any", q.http.Method:
	case "request":
		if q.method == "" || q.id == nil {
			return false
		}
	default:
		if q.method == "" || s.On != q.method {
			return false
		}
	}
	return s.When == nil || s.When(q.http)
}

// stepFor returns the first step that matches, or nil.
func (h *Handler) stepFor(q *request) *Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.server.Steps {
		s := &h.server.Steps[i]
		if !s.matches(q) {
			continue
		}
		h.matches[i]++
		if s.Nth == 0 || s.Nth == h.matches[i] {
			return s
		}
	}
	return nil
}

// filler replaces the templates of replies to q. The conforming answer is only made when a template needs it, since
// making it can open a session.
func (h *Handler) filler(q *request) func(string) string {
	var made *answer
	conforming := func() answer {
		if made == nil {
			a := h.conforming(q)
			made = &a
		}
		return *made
	}
	return func(s string) string {
		if !strings.Contains(s, "{{") {
			return s
		}
		if strings.Contains(s, "{{answer}}") {
			s = strings.ReplaceAll(s, "{{answer}}", conforming().message())
		}
		if strings.Contains(s, "{{conforming_result}}") {
			a := conforming()
			s = strings.ReplaceAll(s, "{{conforming_result}}", a.result+a.failure)
		}
		id := string(q.id)
		if id == "" {
			id = "null"
		}
		return strings.NewReplacer(
			"{{id}}", id,
			"{{origin}}", "http://"+q.http.Host,
			"{{params.protocolVersion}}", text(q.params["protocolVersion"]),
			"{{tool}}", strings.Trim(quote(q.tool()), `"`),
		).Replace(s)
	}
}
