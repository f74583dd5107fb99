package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// answered returns a transcript of one POST with id 2.
func answered(contentType, body string) *Transcript {
	e := Exchange{
		Seq: 1, Transport: StreamableHTTP, Step: StepListTools, RequestID: json.RawMessage("2"),
		Status: 200, Body: []byte(body), BodyLength: int64(len(body)), DeclaredLength: -1,
	}
	if contentType != "" {
		e.ResponseHeader = Header{{"Content-Type", contentType}}
	}
	return &Transcript{Exchanges: []Exchange{e}}
}

const (
	good  = `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`
	other = `{"jsonrpc":"2.0","id":999999,"result":{"tools":[]}}`
	note  = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	const (
		jsonType = "application/json; charset=utf-8"
		sseType  = "text/event-stream"
	)
	event := func(data string) string { return "event: message\ndata: " + data + "\n\n" }
	for name, c := range map[string]struct {
		media, body string
		framing     Framing
		match       IDMatch // empty: no answer
		others      int
		flaws       []Flaw
	}{
		"json":                   {media: jsonType, body: good, framing: FramingJSONObject, match: IDExact},
		"json without type":      {body: good, framing: FramingJSONObject, match: IDExact, flaws: []Flaw{ContentTypeMissing}},
		"json as html":           {media: "text/html", body: good, framing: FramingJSONObject, match: IDExact, flaws: []Flaw{ContentTypeMismatch}},
		"json as event stream":   {media: sseType, body: " " + good, framing: FramingJSONObject, match: IDExact, flaws: []Flaw{ContentTypeMismatch}},
		"json with parameters":   {media: "application/json; charset", body: good, framing: FramingJSONObject, match: IDExact},
		"problem json":           {media: "application/problem+json", body: `{"title":"no"}`, framing: FramingNotJSONRPC, flaws: []Flaw{JSONRPCVersion}},
		"id as string":           {media: jsonType, body: `{"jsonrpc":"2.0","id":"2","result":{}}`, framing: FramingJSONObject, match: IDLoose, flaws: []Flaw{IDTypeChanged}},
		"id as 2.0":              {media: jsonType, body: `{"jsonrpc":"2.0","id":2.0,"result":{}}`, framing: FramingJSONObject, match: IDLoose, flaws: []Flaw{IDTypeChanged}},
		"result with null id":    {media: jsonType, body: `{"jsonrpc":"2.0","id":null,"result":{}}`, framing: FramingJSONObject, match: IDNull, flaws: []Flaw{IDIsNull, IDTypeChanged}},
		"error with null id":     {media: jsonType, body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m"}}`, framing: FramingJSONObject, match: IDNull, flaws: []Flaw{IDIsNull}},
		"error without id":       {media: jsonType, body: `{"jsonrpc":"2.0","error":{"code":-32001,"message":"m"}}`, framing: FramingJSONObject, match: IDMissing, flaws: []Flaw{IDIsMissing}},
		"other id":               {media: jsonType, body: other, framing: FramingJSONObject, others: 1, flaws: []Flaw{IDMismatch}},
		"id server-error":        {media: jsonType, body: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"m"}}`, framing: FramingJSONObject, others: 1, flaws: []Flaw{IDMismatch}},
		"a request":              {media: jsonType, body: `{"jsonrpc":"2.0","id":2,"method":"ping"}`, framing: FramingJSONObject, others: 1},
		"no message":             {media: jsonType, body: `{"error":"Session not found"}`, framing: FramingNotJSONRPC, flaws: []Flaw{ErrorNotObject, JSONRPCVersion}},
		"scalar":                 {media: jsonType, body: `"Accepted"`, framing: FramingNotJSONRPC},
		"batch":                  {media: jsonType, body: "[" + note + "," + good + "]", framing: FramingJSONArray, match: IDExact, others: 1, flaws: []Flaw{Batch}},
		"empty batch":            {media: jsonType, body: "[]", framing: FramingJSONArray, flaws: []Flaw{Batch}},
		"lines":                  {media: jsonType, body: note + "\n" + good + "\n", framing: FramingNDJSON, match: IDExact, others: 1},
		"one line":               {media: "application/x-ndjson", body: good + "\n", framing: FramingNDJSON, match: IDExact},
		"trailing bytes":         {media: jsonType, body: good + "\nOK", framing: FramingJSONObject, match: IDExact, flaws: []Flaw{TrailingBytes}},
		"twice without line end": {media: jsonType, body: good + good, framing: FramingJSONObject, match: IDExact, flaws: []Flaw{TrailingBytes}},
		"cut":                    {media: jsonType, body: good[:30], framing: FramingInvalidJSON, flaws: []Flaw{IncompleteJSON}},
		"NaN":                    {media: jsonType, body: `{"jsonrpc":"2.0","id":2,"result":{"n":NaN}}`, framing: FramingInvalidJSON, flaws: []Flaw{NonFiniteNumber}},
		"byte order mark":        {media: jsonType, body: "\ufeff" + good, framing: FramingJSONObject, match: IDExact, flaws: []Flaw{JSONBOM}},
		"text as json":           {media: jsonType, body: "Unauthorized", framing: FramingInvalidJSON},
		"page as json":           {media: jsonType, body: "<!doctype html>", framing: FramingHTML, flaws: []Flaw{ContentTypeMismatch}},
		"page":                   {media: "text/html; charset=UTF-8", body: "<html></html>", framing: FramingHTML},
		"page as event stream":   {media: sseType, body: "<html>\n\n</html>", framing: FramingHTML, flaws: []Flaw{ContentTypeMismatch}},
		"page without type":      {body: "\n<html></html>", framing: FramingHTML, flaws: []Flaw{ContentTypeMissing}},
		"text":                   {media: "text/plain", body: "Accepted", framing: FramingText},
		"text with bracket":      {media: "text/plain", body: "[info] ready", framing: FramingText},
		"text with a field name": {media: "text/plain", body: "id: is missing", framing: FramingText},
		"empty":                  {media: jsonType, framing: FramingEmpty},
		"empty without type":     {framing: FramingEmpty},
		"white space":            {media: jsonType, body: " \r\n", framing: FramingEmpty},
		"only a mark":            {media: jsonType, body: "\ufeff", framing: FramingEmpty},
		"sse":                    {media: sseType, body: ": hi\n\nid: 1\ndata:\n\n" + event(note) + event(good), framing: FramingSSE, match: IDExact, others: 1},
		"sse without type":       {body: event(good), framing: FramingSSE, match: IDExact, flaws: []Flaw{ContentTypeMissing}},
		"sse as json":            {media: jsonType, body: "data: " + good + "\n\n", framing: FramingSSE, match: IDExact, flaws: []Flaw{ContentTypeMismatch}},
		"sse with other id":      {media: sseType, body: event(other), framing: FramingSSE, others: 1, flaws: []Flaw{IDMismatch}},
		"sse, right one later":   {media: sseType, body: event(other) + event(good), framing: FramingSSE, match: IDExact, others: 1, flaws: []Flaw{IDMismatch}},
		"sse, two answers":       {media: sseType, body: event(good) + event(good), framing: FramingSSE, match: IDExact, others: 1, flaws: []Flaw{DuplicateAnswer}},
		"sse with no message":    {media: sseType, body: event(`{"error":"Session not found"}`), framing: FramingNotJSONRPC, flaws: []Flaw{ErrorNotObject, JSONRPCVersion}},
		"sse with no JSON":       {media: sseType, body: event(`gone`), framing: FramingInvalidJSON},
		"sse keepalive only":     {media: sseType, body: ": ka\n\n: ka\n\n", framing: FramingSSE},
		"sse without an end":     {media: sseType, body: "data: " + good, framing: FramingSSE, match: IDExact, flaws: []Flaw{UnterminatedEvent}},
		"sse of other type":      {media: sseType, body: "event: result\ndata: " + good + "\n\n", framing: FramingSSE, match: IDExact, flaws: []Flaw{SSEEventType}},
		"sse in several lines":   {media: sseType, body: "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":2,\"result\":\ndata: {}}\n\n", framing: FramingSSE, match: IDExact, flaws: []Flaw{SSEMultiline}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answered(c.media, c.body).Answer(1)
			if a.Framing != c.framing || a.IDMatch != c.match || a.Others != c.others || !slices.Equal(a.Flaws, c.flaws) {
				t.Errorf("framing %s, match %q, %d others, flaws %v", a.Framing, a.IDMatch, a.Others, a.Flaws)
			}
			if (a.Message != nil) != (c.match != "") || a.Message != nil && a.Via != ViaBody {
				t.Errorf("message %v via %q", a.Message, a.Via)
			}
		})
	}
}

// The prober stops at the message that the classifiers find.
func TestScannerStopsAtTheAnswer(t *testing.T) {
	t.Parallel()
	first := `{"jsonrpc":"2.0","id":"2","result":{"n":1}}`
	payloads := []string{"", "no", note, other, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"id":2,"result":{}}`, first, good}
	s := NewAnswerScanner(json.RawMessage("2"))
	stopped := -1
	var body strings.Builder
	for i, p := range payloads {
		body.WriteString("data: " + p + "\n\n")
		if s.Offer([]byte(p)) && stopped < 0 {
			stopped = i
		}
	}
	if stopped != 6 {
		t.Errorf("stopped at %d", stopped)
	}
	a := answered("text/event-stream", body.String()).Answer(1)
	if m, match := s.Answer(); string(m.Raw) != first || match != IDLoose || string(a.Message.Raw) != first || a.IDMatch != IDLoose {
		t.Errorf("scanner %q, transcript %q", m.Raw, a.Message.Raw)
	}
}

// shared returns a transcript of an open stream (Seq 1) and POSTs with the ids 1 and 2 whose answers travel on it.
func shared(transport Transport, stream string) *Transcript {
	post := func(seq int, id string) Exchange {
		return Exchange{
			Seq: seq, Transport: transport, StreamOf: 1, RequestID: json.RawMessage(id),
			Status: 202, Body: []byte("Accepted"), BodyLength: 8, DeclaredLength: 8, ResponseHeader: Header{{"Content-Type", "text/plain"}},
		}
	}
	return &Transcript{Exchanges: []Exchange{
		{
			Seq: 1, Transport: transport, Step: StepOpenStream, Status: 200, LeftOpen: true, DeclaredLength: -1,
			Body: []byte("event: endpoint\ndata: /m\n\n" + stream), ResponseHeader: Header{{"Content-Type", "text/event-stream"}},
		},
		post(2, "1"),
		post(3, "2"),
	}}
}

func TestAnswerOnStream(t *testing.T) {
	t.Parallel()
	nobody := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`
	event := func(data string) string { return "event: message\ndata: " + data + "\n\n" }
	one := event(`{"jsonrpc":"2.0","id":1,"result":{"one":1}}`)
	two := event(good)
	for name, c := range map[string]struct {
		transport Transport
		stream    string
		match     IDMatch
		flaws     []Flaw
	}{
		"in turn":                 {HTTPSSE, one + two, IDExact, nil},
		"out of turn":             {HTTPSSE, two + event(note) + one, IDExact, nil},
		"not there":               {HTTPSSE, one, "", nil},
		"cut by us":               {HTTPSSE, one + two + "data: {", IDExact, nil},
		"on another stream":       {StreamableHTTP, one + two, IDExact, []Flaw{AnswerOnOtherStream}},
		"loose":                   {HTTPSSE, one + event(`{"jsonrpc":"2.0","id":"2","result":{}}`), IDLoose, []Flaw{IDTypeChanged}},
		"error for the last one":  {HTTPSSE, one + event(nobody), IDNull, []Flaw{IDIsNull}},
		"error for either":        {HTTPSSE, event(nobody), "", nil},
		"error and answer":        {HTTPSSE, one + event(nobody) + two, IDExact, nil},
		"result without id":       {HTTPSSE, one + event(`{"jsonrpc":"2.0","result":{}}`), "", nil},
		"twice":                   {HTTPSSE, one + two + two, IDExact, []Flaw{DuplicateAnswer}},
		"unfinished at the close": {HTTPSSE, one + event(good)[:20], "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := shared(c.transport, c.stream).Answer(3)
			if a.IDMatch != c.match || (a.Message != nil) != (c.match != "") {
				t.Fatalf("match %q, message %v", a.IDMatch, a.Message)
			}
			if c.match == "" {
				if a.Framing != FramingText || a.Via != "" {
					t.Errorf("framing %s via %q, want that of the response", a.Framing, a.Via)
				}
				return
			}
			if a.Framing != FramingSSE || a.Via != ViaStream || !slices.Equal(a.Flaws, c.flaws) {
				t.Errorf("framing %s via %q, flaws %v", a.Framing, a.Via, a.Flaws)
			}
		})
	}
	inPost := shared(HTTPSSE, one)
	inPost.Exchanges[2].Body = []byte(good)
	inPost.Exchanges[2].ResponseHeader = Header{{"Content-Type", "application/json"}}
	if a := inPost.Answer(3); a.Message == nil || a.Via != ViaBody || !slices.Contains(a.Flaws, AnswerOnOtherStream) {
		t.Errorf("answer in the response to the POST: %+v", a)
	}
}

func TestAnswerOfCodedContent(t *testing.T) {
	t.Parallel()
	coded := func(label string, body []byte) Answer {
		tr := answered("application/json", string(body))
		tr.Exchanges[0].ResponseHeader = append(tr.Exchanges[0].ResponseHeader, Field{"Content-Encoding", label})
		return tr.Answer(1)
	}
	zipped := encode(t, "gzip", []byte(good))
	for name, c := range map[string]struct {
		label   string
		body    []byte
		framing Framing
		found   bool
		flaws   []Flaw
	}{
		"br":                 {"br", encode(t, "br", []byte(good)), FramingJSONObject, true, nil},
		"gzip, not labelled": {"", zipped, FramingJSONObject, true, []Flaw{EncodingMismatch}},
		"plain, labelled":    {"gzip", []byte(good), FramingJSONObject, true, []Flaw{EncodingMismatch}},
		"no check sum":       {"gzip", zipped[:len(zipped)-8], FramingJSONObject, true, []Flaw{EncodingIncomplete}},
		"half":               {"gzip", zipped[:len(zipped)-20], FramingUndecodable, false, []Flaw{EncodingIncomplete, IncompleteJSON}},
		"unknown coding":     {"snappy", []byte{0xff, 6, 0}, FramingUndecodable, false, []Flaw{EncodingUnsupported}},
		"wrong coding":       {"gzip", encode(t, "br", []byte(good)), FramingUndecodable, false, []Flaw{EncodingMismatch, InvalidUTF8}},
	} {
		a := coded(c.label, c.body)
		if a.Framing != c.framing || (a.Message != nil) != c.found || !slices.Equal(a.Flaws, c.flaws) {
			t.Errorf("%s: framing %s, message %v, flaws %v", name, a.Framing, a.Message != nil, a.Flaws)
		}
	}
}

func TestAnswerLengths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Exchange)
		want   []Flaw
	}{
		"declared right":       {func(e *Exchange) { e.DeclaredLength = e.BodyLength }, nil},
		"declared too long":    {func(e *Exchange) { e.DeclaredLength, e.Failure = 999, HTTPReset }, []Flaw{LengthMismatch}},
		"cut by the deadline":  {func(e *Exchange) { e.DeclaredLength, e.Failure = 999, HTTPTimeoutBody }, nil},
		"stopped at an answer": {func(e *Exchange) { e.DeclaredLength, e.LeftOpen = 999, true }, nil},
		"longer than the cap":  {func(e *Exchange) { e.BodyLength, e.BodyTruncated, e.Failure = 9<<20, true, HTTPBodyTooBig }, []Flaw{BodyTooLarge}},
	} {
		tr := answered("application/json", good)
		c.change(&tr.Exchanges[0])
		if a := tr.Answer(1); a.Message == nil || !slices.Equal(a.Flaws, c.want) {
			t.Errorf("%s: message %v, flaws %v, want %v", name, a.Message != nil, a.Flaws, c.want)
		}
	}
}

func TestAnswerWithoutResponse(t *testing.T) {
	t.Parallel()
	tr := &Transcript{Exchanges: []Exchange{
		{Seq: 1, RequestID: json.RawMessage("1"), DeclaredLength: -1, Failure: ConnectRefused},
		{Seq: 2, Status: 202, DeclaredLength: -1}, // a notification
		{Seq: 3, StreamOf: 9, RequestID: json.RawMessage("3"), Status: 202, DeclaredLength: -1},
		{Seq: 4, Status: 200, DeclaredLength: -1, Body: []byte(good), ResponseHeader: Header{{"Content-Type", "application/json"}}},
	}}
	for seq, want := range map[int]Framing{1: FramingNone, 2: FramingEmpty, 3: FramingEmpty, 4: FramingJSONObject, 7: FramingNone} {
		for range 2 { // the second one from the cache
			if a := tr.Answer(seq); a.Framing != want || a.Message != nil || a.IDMatch != "" {
				t.Errorf("exchange %d: %+v, want framing %s", seq, a, want)
			}
		}
	}
}

func TestIsEventStream(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		media, start string
		want         bool
	}{
		{"text/event-stream", "", true},
		{"Text/Event-Stream;charset=utf-8", "anything", true},
		{"text/event-stream", "\r\n{", false},
		{"application/json", "data: {", true},
		{"application/json", "{\"data\":", false},
		{"", "event: message", true},
		{"", "\ufeffdata:{", true},
		{"", "", false},
		{"text/plain", "data", false},
	} {
		if got := IsEventStream(c.media, []byte(c.start)); got != c.want {
			t.Errorf("%q, %q: %v", c.media, c.start, got)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("application/json", "", []byte(good))
	f.Add("text/event-stream", "br", []byte("data: "+good+"\n\n"))
	f.Add("", "gzip", encode(f, "gzip", []byte("["+good+"]")))
	f.Add("text/plain", "", []byte("\ufeff"))
	vocabulary := Flaws()
	f.Fuzz(func(t *testing.T, media, coding string, body []byte) {
		tr := answered(media, string(body))
		tr.Exchanges[0].ResponseHeader = append(tr.Exchanges[0].ResponseHeader, Field{"Content-Encoding", coding})
		a := tr.Answer(1)
		if a.Message != nil && (a.Message.Type != TypeResult && a.Message.Type != TypeError || a.IDMatch == IDDifferent || a.Others < 0) {
			t.Errorf("answer %+v", a)
		}
		if !slices.IsSorted(a.Flaws) {
			t.Errorf("flaws %v are not sorted", a.Flaws)
		}
		for _, flaw := range a.Flaws {
			if !slices.Contains(vocabulary, flaw) {
				t.Errorf("flaw %q is not in the vocabulary", flaw)
			}
		}
	})
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	refused, answered := Exchange{Failure: ConnectRefused}, Exchange{Status: 500}
	for name, tc := range map[string]struct {
		transcript Transcript
		want       string
	}{
		"nothing":             {Transcript{}, "nothing_sent"},
		"our fault":           {Transcript{Fault: "no resolver"}, "nothing_sent"},
		"robots":              {Transcript{Unvisited: PolicyRobots}, "policy.robots"},
		"budget":              {Transcript{Unvisited: PolicyBudget}, "policy.budget"},
		"failure":             {Transcript{Exchanges: []Exchange{refused}}, "connect.refused"},
		"answered":            {Transcript{Exchanges: []Exchange{refused, answered}}, "answered"},
		"exchanges say more":  {Transcript{Exchanges: []Exchange{refused}, Unvisited: PolicyBudget}, "connect.refused"},
		"an exchange, no end": {Transcript{Exchanges: []Exchange{{}}, Unvisited: PolicyBudget}, "nothing_sent"},
	} {
		if got := tc.transcript.Outcome(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
