package dial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// A server that answers a POST, reads the next request on the same connection and closes: net/http would send it again.
func TestNothingIsRepeated(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPost} {
		var seen atomic.Int32
		origin := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
			if seen.Add(1)%2 == 1 {
				_, _ = io.WriteString(w, "one")
				return
			}
			if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
				t.Errorf("%s comes with a body: %d %v", method, r.ContentLength, r.TransferEncoding)
			}
			panic(http.ErrAbortHandler)
		})
		transport := NewTransport(loopback(t, origin, nil), Options{})
		sent := 0
		for range 3 {
			for _, m := range []string{http.MethodPost, method} {
				req, err := http.NewRequestWithContext(t.Context(), m, origin, nil)
				if err != nil {
					t.Fatal(err)
				}
				sent++
				resp, err := transport.RoundTrip(req)
				if err != nil {
					if failure, detail := Classify(err); failure != wire.HTTPReset {
						t.Errorf("%s: %s, %s", m, failure, detail)
					}
					continue
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Error(err)
				}
				_ = resp.Body.Close() // it was read to its end
			}
		}
		if got := int(seen.Load()); got != sent {
			t.Errorf("%s: the server saw %d requests of %d", method, got, sent)
		}
		transport.Close()
	}
}

func serveHTTP(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// The same over HTTP/2, where a refused stream is opened again on the same connection.
func TestRefusedStreamIsNotRepeated(t *testing.T) {
	t.Parallel()
	certificates := httptest.NewUnstartedServer(nil)
	certificates.StartTLS()
	defer certificates.Close()
	config := certificates.TLS.Clone()
	config.NextProtos = []string{"h2"}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var seen atomic.Int32
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go refuseStreams(c, &seen)
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	target := "https://example.com:" + port
	roots := x509.NewCertPool()
	roots.AddCert(certificates.Certificate())
	transport := NewTransport(loopback(t, target, map[string]string{"example.com": "127.0.0.1"}), Options{RootCAs: roots})
	defer transport.Close()
	for want := range 3 {
		_, _, err := fetch(t, transport, target)
		if failure, _ := Classify(err); failure != wire.HTTPReset || !errors.Is(err, errRepeated) {
			t.Errorf("failure %q: %v", failure, err)
		}
		if got := int(seen.Load()); got != want+1 {
			t.Errorf("the server saw %d requests of %d", got, want+1)
		}
	}
}

// refuseStreams counts the requests of an HTTP/2 connection and refuses each.
func refuseStreams(c net.Conn, seen *atomic.Int32) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return // the client is gone
	}
	framer := http2.NewFramer(c, c)
	if framer.WriteSettings() != nil || framer.WriteSettingsAck() != nil {
		return
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		if headers, ok := frame.(*http2.HeadersFrame); ok {
			seen.Add(1)
			if framer.WriteRSTStream(headers.StreamID, http2.ErrCodeRefusedStream) != nil {
				return
			}
		}
	}
}
