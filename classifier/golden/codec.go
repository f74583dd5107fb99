package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// transcript is the readable form of a transcript. What no classifier may look at (times, addresses) is left out.
type transcript struct {
	Target      string           `json:"target"`
	Declared    []wire.Transport `json:"declared"`
	UnknownTool string           `json:"unknown_tool"`
	Ended       wire.Ended       `json:"ended"`
	Unvisited   wire.Failure     `json:"unvisited,omitempty"`
	Fault       string           `json:"fault,omitempty"`
	Exchanges   []exchange       `json:"exchanges"`
}

type exchange struct {
	Seq       int             `json:"seq"`
	Era       wire.Era        `json:"era"`
	Transport wire.Transport  `json:"transport"`
	Step      wire.Step       `json:"step"`
	Page      int             `json:"page,omitempty"`
	Try       int             `json:"try"`
	FollowsOf int             `json:"follows_of,omitempty"`
	StreamOf  int             `json:"stream_of,omitempty"`
	Method    string          `json:"method"`
	URL       string          `json:"url"`
	Request   *content        `json:"request,omitempty"`
	RequestID json.RawMessage `json:"request_id,omitempty"`
	Status    int             `json:"status,omitempty"`
	Header    []string        `json:"header,omitempty"` // "Name: value"
	Body      *content        `json:"body,omitempty"`
	LeftOpen  bool            `json:"left_open,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	Failure   wire.Failure    `json:"failure,omitempty"`
}

// content is a JSON string when the bytes are UTF-8, and {"base64":"…"} otherwise.
type content []byte

func (c content) MarshalJSON() ([]byte, error) {
	if utf8.Valid(c) {
		return plain(string(c))
	}
	return plain(map[string][]byte{"base64": c})
}

func (c *content) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = content(text)
		return nil
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(raw, &coded); err != nil {
		return fmt.Errorf("content must be a string or an object with base64: %w", err)
	}
	*c = coded.Base64
	return nil
}

// finding is the readable form of a finding.
type finding struct {
	Question string            `json:"question"`
	Tool     int               `json:"tool,omitempty"`
	ToolName string            `json:"tool_name,omitempty"`
	Answer   classifier.Answer `json:"answer"`
	Label    string            `json:"label,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Evidence []int             `json:"evidence"`
}

// Encode writes the transcript as readable JSON.
func Encode(t *wire.Transcript) ([]byte, error) {
	out := transcript{Target: t.Target, Declared: t.Declared, UnknownTool: t.UnknownTool, Ended: t.Ended, Unvisited: t.Unvisited, Fault: t.Fault}
	for _, e := range t.Exchanges {
		x := exchange{
			Seq: e.Seq, Era: e.Era, Transport: e.Transport, Step: e.Step, Page: e.Page, Try: e.Try, FollowsOf: e.FollowsOf,
			StreamOf: e.StreamOf, Method: e.Method, URL: e.URL, RequestID: e.RequestID, Status: e.Status, LeftOpen: e.LeftOpen,
			Truncated: e.BodyTruncated, Failure: e.Failure, Request: contentOf(e.RequestBody), Body: contentOf(e.Body),
		}
		for _, f := range e.ResponseHeader {
			x.Header = append(x.Header, f.Name+": "+f.Value)
		}
		out.Exchanges = append(out.Exchanges, x)
	}
	return indented(out)
}

// Decode reads what [Encode] wrote.
func Decode(text []byte) (*wire.Transcript, error) {
	var in transcript
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return nil, fmt.Errorf("golden transcript: %w", err)
	}
	t := &wire.Transcript{
		Target: in.Target, Declared: in.Declared, Purpose: wire.Main, Visit: 1, UnknownTool: in.UnknownTool, Ended: in.Ended,
		Unvisited: in.Unvisited, Fault: in.Fault,
	}
	for _, x := range in.Exchanges {
		e := wire.Exchange{
			Seq: x.Seq, Era: x.Era, Transport: x.Transport, Step: x.Step, Page: x.Page, Try: x.Try, FollowsOf: x.FollowsOf,
			StreamOf: x.StreamOf, Method: x.Method, URL: x.URL, RequestID: x.RequestID, Status: x.Status, LeftOpen: x.LeftOpen,
			BodyTruncated: x.Truncated, Failure: x.Failure, DeclaredLength: -1, RequestBody: x.Request.bytes(), Body: x.Body.bytes(),
		}
		e.BodyLength = int64(len(e.Body))
		for _, line := range x.Header {
			name, value, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("golden transcript: header %q is not of the form Name: value", line)
			}
			e.ResponseHeader = append(e.ResponseHeader, wire.Field{Name: name, Value: value})
		}
		t.Exchanges = append(t.Exchanges, e)
	}
	return t, nil
}

func contentOf(b []byte) *content {
	if len(b) == 0 {
		return nil
	}
	return (*content)(&b)
}

func (c *content) bytes() []byte {
	if c == nil {
		return nil
	}
	return *c
}

func encodeFindings(findings []classifier.Finding) ([]byte, error) {
	out := []finding{}
	for _, f := range findings {
		x := finding(f)
		if x.Evidence == nil {
			x.Evidence = []int{}
		}
		out = append(out, x)
	}
	return indented(out)
}

// plain is JSON without the escapes for HTML, so that it can be read.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func indented(v any) ([]byte, error) {
	text, err := plain(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
