package dial

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// classifyCase is a server and what it makes of a request.
type classifyCase struct {
	name    string
	target  func(t *testing.T) string
	names   map[string]string
	options Options
	want    wire.Failure
}

func raw(answers ...string) func(*testing.T) string {
	return func(t *testing.T) string {
		origin, _ := rawServer(t, answers...)
		return origin
	}
}

func fixed(target string) func(*testing.T) string { return func(*testing.T) string { return target } }

// silentServer takes connections and says nothing.
func silentServer(t *testing.T) string {
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	return listen(t, func(net.Conn) { <-done })
}

func closedPort(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

func tlsServer(t *testing.T) string {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func asTLS(target func(*testing.T) string) func(*testing.T) string {
	return func(t *testing.T) string { return strings.Replace(target(t), "http://", "https://", 1) }
}

func TestClassify(t *testing.T) {
	t.Parallel()
	short := Options{HeaderTimeout: 20 * time.Millisecond, TLSTimeout: 20 * time.Millisecond}
	for _, c := range []classifyCase{
		{"connection refused", closedPort, nil, Options{}, wire.ConnectRefused},
		{"no such name", fixed("http://none.example:8080"), nil, Options{}, wire.ResolveNotFound},
		{"no answer from the resolver", fixed("http://broken.example:8080"), map[string]string{"broken.example": ""}, Options{}, wire.ResolveFailed},
		{"address refused", fixed("http://192.0.2.1:8080"), nil, Options{}, wire.PolicyAddress},
		{"number as host", fixed("http://2130706433:8080"), nil, Options{}, wire.PolicyAddress},
		{"closed at once", raw(""), nil, Options{}, wire.HTTPReset},
		{"reset before the header", func(t *testing.T) string {
			return listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 1))
				reset(c)
			})
		}, nil, Options{}, wire.HTTPReset},
		{"reset in the body", func(t *testing.T) string {
			return listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, response(200, "Content-Length: 100\r\n", "{"))
				reset(c)
			})
		}, nil, Options{}, wire.HTTPReset},
		{"closed in the body", raw(response(200, "Content-Length: 100\r\n", "{")), nil, Options{}, wire.HTTPReset},
		{"closed in a chunk", raw(response(200, "Transfer-Encoding: chunked\r\n", "64\r\n{")), nil, Options{}, wire.HTTPReset},
		{"broken chunk", raw(response(200, "Transfer-Encoding: chunked\r\n", "zz\r\n{")), nil, Options{}, wire.HTTPMalformed},
		{"not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), nil, Options{}, wire.HTTPMalformed},
		{"broken header", raw("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"), nil, Options{}, wire.HTTPMalformed},
		{"header without end", raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 20_000)), nil, Options{}, wire.HTTPHeaderTooBig},
		{"no header in time", silentServer, nil, short, wire.HTTPTimeoutHeader},
		{"no handshake in time", asTLS(silentServer), nil, short, wire.TLSTimeout},
		{"unknown authority", tlsServer, nil, Options{RootCAs: x509.NewCertPool()}, wire.TLSCertificate},
		{"plain HTTP on a TLS port", asTLS(raw(response(400, "", ""))), nil, Options{}, wire.TLSHandshake},
		{"closed in the handshake", asTLS(func(t *testing.T) string {
			return listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 1))
				reset(c)
			})
		}), nil, Options{}, wire.TLSHandshake},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target := c.target(t)
			transport := NewTransport(loopback(t, target, c.names), c.options)
			defer transport.Close()
			_, _, err := fetch(t, transport, target)
			got, detail := Classify(err)
			if got != c.want || detail == "" {
				t.Errorf("got %q (%s), want %q", got, detail, c.want)
			}
			for _, ours := range []string{"->", "10.9.8.7", ":53"} {
				if strings.Contains(detail, ours) {
					t.Errorf("the detail names this machine: %s", detail)
				}
			}
		})
	}
}

// Errors that loopback does not produce.
func TestClassifyMade(t *testing.T) {
	t.Parallel()
	dialled := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err  error
		want wire.Failure
	}{
		{nil, ""},
		{dialled(syscall.EHOSTUNREACH), wire.ConnectUnreached},
		{dialled(syscall.ENETUNREACH), wire.ConnectUnreached},
		{dialled(context.DeadlineExceeded), wire.ConnectTimeout},
		{dialled(syscall.EADDRNOTAVAIL), wire.ConnectFailed},
		{&RedirectError{Rule: "another site"}, wire.PolicyRedirect},
		{context.Canceled, wire.Interrupted},
		{context.DeadlineExceeded, wire.Deadline},
		{http2.StreamError{StreamID: 1, Code: http2.ErrCodeInternal}, wire.HTTPReset},
		{http2.StreamError{StreamID: 1, Code: http2.ErrCodeProtocol}, wire.HTTPMalformed},
		{http2.GoAwayError{LastStreamID: 1, ErrCode: http2.ErrCodeNo}, wire.HTTPReset},
		{errors.New("http2: response header list larger than advertised limit"), wire.HTTPHeaderTooBig},
		{fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", io.ErrUnexpectedEOF), wire.HTTPReset},
	} {
		if got, _ := Classify(c.err); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := Printable("a\x00b\nc\xff\u202e"); got != "a\uFFFDb\uFFFDc\uFFFD\uFFFD" {
		t.Errorf("got %q", got)
	}
	if got := Printable(strings.Repeat("é", 1000)); len(got) > 310 {
		t.Errorf("%d bytes", len(got))
	}
}
