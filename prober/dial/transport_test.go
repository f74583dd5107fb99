package dial

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTransportKeepsItsConnection(t *testing.T) {
	t.Parallel()
	origin, opened := rawServer(t,
		response(200, "Content-Length: 3\r\n", "one"),
		response(204, "", ""),
		"HTTP/1.1 100 Continue\r\n\r\n"+response(200, "Transfer-Encoding: chunked\r\n", "3\r\ntwo\r\n0\r\n\r\n"),
		response(202, "Content-Length: 0\r\n", ""),
		response(200, "Content-Length: 9\r\n", "a\r\n\r\nb\n\nc"),
	)
	transport := NewTransport(loopback(t, origin, nil), Options{})
	defer transport.Close()
	for _, want := range []string{"one", "", "two", "", "a\r\n\r\nb\n\nc"} {
		if _, body, err := fetch(t, transport, origin); err != nil || body != want {
			t.Errorf("got %q, %v; want %q", body, err, want)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// Bytes beyond the announced end are neither printed nor taken for the next response. Not parallel: it watches the
// global log, where net/http would print them.
func TestTransportSurplusBytes(t *testing.T) {
	var printed bytes.Buffer
	before := log.Writer()
	log.SetOutput(&printed)
	defer log.SetOutput(before)
	forged := response(200, "Content-Length: 6\r\n", "forged")
	for name, answer := range map[string]string{
		"longer than its length":   response(200, "Content-Length: 5\r\n", "right"+forged),
		"a body behind a 204":      response(204, "", "right"+forged),
		"a body behind length 0":   response(202, "Content-Length: 0\r\n", forged),
		"two responses at a time":  response(200, "Content-Length: 5\r\n", "right") + forged,
		"ordinary":                 response(200, "Content-Length: 5\r\n", "right"),
		"connection ends the body": response(200, "Connection: close\r\n", "right"),
	} {
		origin, opened := rawServer(t, answer)
		transport := NewTransport(loopback(t, origin, nil), Options{})
		for range 3 {
			_, body, err := fetch(t, transport, origin)
			var reset *net.OpError
			if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &reset) && !strings.Contains(err.Error(), "server closed idle") {
				t.Errorf("%s: %v", name, err)
			}
			if strings.Contains(body, "forged") {
				t.Errorf("%s: surplus bytes were read as %q", name, body)
			}
		}
		if opened.Load() < 2 {
			t.Errorf("%s: the connection was used again", name)
		}
		transport.Close()
	}
	if printed.Len() > 0 {
		t.Errorf("printed to the log: %s", printed.String())
	}
}

func TestTransportTLS(t *testing.T) {
	t.Parallel()
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Errorf("sends Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
			}
			_, _ = io.WriteString(w, "hello")
		}))
		server.EnableHTTP2 = h2
		server.StartTLS()
		defer server.Close()
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		target := strings.Replace(server.URL, "127.0.0.1", "example.com", 1)
		transport := NewTransport(loopback(t, target, map[string]string{"example.com": "127.0.0.1"}), Options{RootCAs: roots})
		defer transport.Close()
		for range 2 {
			resp, body, err := fetch(t, transport, target)
			if err != nil || body != "hello" {
				t.Fatalf("h2 %v: got %q, %v", h2, body, err)
			}
			if want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[h2]; resp.Proto != want {
				t.Errorf("got %s, want %s", resp.Proto, want)
			}
			if resp.TLS == nil || resp.TLS.Version != tls.VersionTLS13 {
				t.Errorf("h2 %v: no record of TLS 1.3", h2)
			}
		}
	}
}

// A refused address costs no packet: nobody connects to the listener, whatever name leads there.
func TestDialerOpensNoSocket(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	origin := listen(t, func(net.Conn) { opened.Add(1) })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	d := loopback(t, origin, map[string]string{"rebind.example": "127.0.0.1", "mapped.example": "::ffff:127.0.0.1", "localhost": "127.0.0.1"})
	d.Policy.AllowPrivate = false
	transport := NewTransport(d, Options{})
	defer transport.Close()
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0177.0.0.1", "127.1", "0x7f.1", "rebind.example", "mapped.example", "localhost", "LOCALHOST."} {
		var refused *RefusedError
		if _, _, err := fetch(t, transport, "http://"+host+":"+port+"/mcp"); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a refusal", host, err)
		}
	}
	if n := opened.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
	// The check on the socket itself stands also when the one before is missing.
	if err := d.checkDialled("rebind.example", net.JoinHostPort("127.0.0.1", port)); err == nil {
		t.Error("the socket may connect to loopback")
	}
}

func TestDialerTakesTheAdmittedAddress(t *testing.T) {
	t.Parallel()
	origin, _ := rawServer(t, response(200, "Content-Length: 2\r\n", "ok"))
	d := loopback(t, origin, nil)
	d.Resolver = NewResolver(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("127.0.0.1")}, nil
	})
	transport := NewTransport(d, Options{})
	defer transport.Close()
	if _, body, err := fetch(t, transport, strings.Replace(origin, "127.0.0.1", "two.example", 1)); err != nil || body != "ok" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestTransportIgnoresProxies(t *testing.T) {
	var asked atomic.Int32
	proxy := listen(t, func(net.Conn) { asked.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"} {
		t.Setenv(name, proxy)
	}
	origin, _ := rawServer(t, response(200, "Content-Length: 2\r\n", "ok"))
	target := strings.Replace(origin, "127.0.0.1", "direct.example", 1)
	transport := NewTransport(loopback(t, target, map[string]string{"direct.example": "127.0.0.1"}), Options{})
	defer transport.Close()
	if _, body, err := fetch(t, transport, target); err != nil || body != "ok" || asked.Load() != 0 {
		t.Errorf("got %q, %v; %d connections to the proxy", body, err, asked.Load())
	}
}
