package exchange

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// recorderFor returns a recorder that may go to the server, and its URL.
func recorderFor(t *testing.T, target string, limits Limits) (*Recorder, *url.URL) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Dialer:    &dial.Dialer{Policy: dial.PolicyFor(u, true), Resolver: dial.NewResolver(nil)},
		UserAgent: "test", Limits: limits,
	}), u
}

func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// post sends a POST with the id 1, reads the response and returns its exchange.
func post(t *testing.T, r *Recorder, u *url.URL) *Response {
	t.Helper()
	resp := r.Send(t.Context(), Request{Era: wire.Legacy, Transport: wire.StreamableHTTP, Step: wire.StepInitialize,
		Method: http.MethodPost, URL: u, Body: []byte("{}"), ID: json.RawMessage("1")})
	resp.Read(Reader{ID: json.RawMessage("1")})
	return resp
}

const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`

func TestRecord(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-B"] = []string{"2", "1"}
		w.Header().Set("X-A", "3")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	})
	r, u := recorderFor(t, target, Limits{})
	post(t, r, u)
	exchanges := r.Close()
	if len(exchanges) != 1 {
		t.Fatalf("%d exchanges", len(exchanges))
	}
	e := exchanges[0]
	var names []string
	for _, f := range e.ResponseHeader {
		if strings.HasPrefix(f.Name, "X-") {
			names = append(names, f.Name+"="+f.Value)
		}
	}
	if strings.Join(names, " ") != "X-A=3 X-B=2 X-B=1" {
		t.Errorf("header %v", names)
	}
	if string(e.Body) != answer || e.BodyLength != int64(len(answer)) || e.DeclaredLength != e.BodyLength || e.Proto != "HTTP/1.1" ||
		e.RemoteAddr != u.Host || e.TLSVersion != "" || e.FirstByte <= 0 || e.Duration < e.FirstByte || e.LeftOpen || e.Failure != "" {
		t.Errorf("recorded %+v", e)
	}
	if agent, _ := e.RequestHeader.Get("User-Agent"); agent != "test" {
		t.Errorf("User-Agent %q", agent)
	}
}

func TestBodyCap(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("a"), 200<<10)) })
	r, u := recorderFor(t, target, Limits{Body: 100 << 10})
	e := post(t, r, u).Exchange
	if e.Failure != wire.HTTPBodyTooBig || len(e.Body) != 100<<10 || !e.BodyTruncated || e.BodyLength <= 100<<10 {
		t.Errorf("%s: %d of %d bytes", e.Failure, len(e.Body), e.BodyLength)
	}
}

// The probe as a whole keeps a limited number of bytes; every later response still may have an error's worth.
func TestProbeCap(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("a"), 200<<10)) })
	r, u := recorderFor(t, target, Limits{Probe: 300 << 10})
	for _, want := range []int{200 << 10, 100 << 10, leastBody, leastBody} {
		if e := post(t, r, u).Exchange; len(e.Body) != want || e.BodyTruncated != (want < 200<<10) {
			t.Errorf("kept %d bytes, want %d", len(e.Body), want)
		}
	}
}

// A small body that decodes to a large one is stopped by its decoded size, and kept as received.
func TestDecodedCap(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write(make([]byte, 4<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	r, u := recorderFor(t, target, Limits{Body: 1 << 20})
	if e := post(t, r, u).Exchange; e.Failure != wire.HTTPBodyTooBig || !bytes.HasPrefix(bomb.Bytes(), e.Body) {
		t.Errorf("%s: %d bytes", e.Failure, len(e.Body))
	}
}

// A coded event stream is read as it arrives: the answer is found while the stream stays open.
func TestCodedStream(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "data: "+answer+"\n\n")
		_ = z.Flush()
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	})
	r, u := recorderFor(t, target, Limits{Linger: 10 * time.Millisecond})
	if resp := post(t, r, u); !resp.Exchange.LeftOpen || resp.Answer().Message == nil {
		t.Errorf("%+v", resp.Exchange)
	}
}

func TestUnknownCodingIsKept(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "x-secret")
		_, _ = io.WriteString(w, "\x01\x02\x03")
	})
	r, u := recorderFor(t, target, Limits{})
	if e := post(t, r, u).Exchange; string(e.Body) != "\x01\x02\x03" || e.Failure != "" {
		t.Errorf("%q, %s", e.Body, e.Failure)
	}
}

// A body that is shorter than announced is complete JSON all the same.
func TestShortBody(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"+answer)
	})
	r, u := recorderFor(t, target, Limits{})
	resp := post(t, r, u)
	if e := resp.Exchange; e.Failure != wire.HTTPReset || e.DeclaredLength != 500 || resp.Answer().Message == nil {
		t.Errorf("%+v", e)
	}
}

// Nobody waits for anything in the answer to a notification.
func TestNothingAwaited(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	})
	r, u := recorderFor(t, target, Limits{Linger: 10 * time.Millisecond})
	resp := r.Send(t.Context(), Request{Method: http.MethodPost, URL: u, Body: []byte("{}")})
	resp.Read(Reader{})
	if !resp.Exchange.LeftOpen || resp.Exchange.Failure != "" {
		t.Errorf("%+v", resp.Exchange)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	more := make(chan string)
	target := serve(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case text := <-more:
				_, _ = io.WriteString(w, text)
			case <-req.Context().Done():
				return
			}
		}
	})
	r, u := recorderFor(t, target, Limits{})
	resp := r.Send(t.Context(), Request{Method: http.MethodGet, URL: u, Lasting: true})
	s := r.Background(resp)
	more <- "data: one\n\ndata: two\n\n"
	var seen []string
	take := func(want string) func(wire.Event) bool {
		return func(e wire.Event) bool { seen = append(seen, e.Data); return e.Data == want }
	}
	if !s.Await(t.Context(), 0, take("two")) {
		t.Error("two is missing")
	}
	mark := s.Mark()
	more <- "data: " + answer + "\n\n"
	m, match := AwaitAnswer(t.Context(), s, mark, json.RawMessage("1"), func(wire.Event) { t.Error("another event") })
	if m == nil || match != wire.IDExact || strings.Join(seen, " ") != "one two" {
		t.Errorf("got %v, saw %v", m, seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Await(ctx, s.Mark(), take("never")) || s.Ended() {
		t.Error("an event from nowhere")
	}
	e := r.Close()[0]
	if !e.LeftOpen || e.Failure != "" || !strings.HasPrefix(string(e.Body), "data: one\n\n") || !s.Ended() {
		t.Errorf("%+v", e)
	}
}

func TestValueEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`: true, `{"a":[1,{"b":"}"}]}`: true, `{"a":"\"}"`: false, `{"a":1`: false, `"}"`: false, ``: false, ` [1] `: true, `{"a":"\\"}`: true,
	} {
		whole, pieces := valueEnd{}, valueEnd{}
		got := whole.reached([]byte(text))
		cut := false
		for i := range len(text) {
			cut = pieces.reached([]byte(text[i:i+1])) || cut
		}
		if got != want || cut != want {
			t.Errorf("%s: got %v, in pieces %v, want %v", text, got, cut, want)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	message := func(data string) *wire.Message {
		m, err := wire.ReadMessage([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32023,"message":"","data":` + data + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return &m
	}
	for _, c := range []struct {
		field string
		m     *wire.Message
		want  time.Duration
		ok    bool
	}{
		{"", nil, 0, false},
		{"5", nil, 5 * time.Second, true},
		{" 0 ", nil, 0, true},
		{"Tue, 01 Dec 2026 12:01:00 GMT", nil, time.Minute, true},
		{"Tue, 01 Dec 2026 11:00:00 GMT", nil, 0, true},
		{"-5", nil, 0, false},
		{"1.5", nil, 0, false},
		{"99999999999999999999", nil, 0, false},
		{"9999999999", nil, 0, false},
		{"soon", nil, 0, false},
		{"5", message(`{"retryAfterMs":1500}`), 1500 * time.Millisecond, true},
		{"5", message(`{"retryAfterMs":0}`), 0, true},
		{"5", message(`{"retryAfterMs":"1500"}`), 5 * time.Second, true},
		{"5", message(`{"retryAfterMs":-1}`), 5 * time.Second, true},
		{"5", message(`{"RetryAfterMs":1}`), 5 * time.Second, true},
		{"", message(`7`), 0, false},
	} {
		var h wire.Header
		if c.field != "" {
			h = wire.Header{{Name: "retry-after", Value: c.field}}
		}
		reply := Reply{Exchange: &wire.Exchange{ResponseHeader: h}, Answer: c.m}
		if got, ok := reply.Pause(now); got != c.want || ok != c.ok {
			t.Errorf("%q: got %s %v, want %s %v", c.field, got, ok, c.want, c.ok)
		}
	}
}

func TestReplyTo(t *testing.T) {
	t.Parallel()
	r, _ := recorderFor(t, "http://127.0.0.1:1", Limits{})
	for data, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1e0,"method":"ping"}`:         `{"jsonrpc":"2.0","id":1e0,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","method":"roots/list"}`:   `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message"}`: "",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:        "",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:          "",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:               "",
		`ping`:                                               "",
		``:                                                   "",
	} {
		got, ok := r.ReplyTo(wire.Event{Type: "message", Data: data})
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s: replied %s", data, got)
		}
	}
}
