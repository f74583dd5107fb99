package prober

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/net/http2"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// A GOAWAY that covers a request that was not processed: both attempts are stored.
func TestGoAway(t *testing.T) {
	t.Parallel()
	handler := probertest.New(probertest.Server{Tools: twoTools})
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
	go func() {
		for first := true; ; first = false {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if err := c.(*tls.Conn).Handshake(); err != nil {
				return
			}
			if first {
				go sendGoAway(t, c)
				continue
			}
			go (&http2.Server{}).ServeConn(c, &http2.ServeConnOpts{
				Handler: handler, BaseConfig: &http.Server{ErrorLog: log.New(io.Discard, "", 0)},
			})
		}
	}()
	r := newRig()
	r.RootCAs = x509.NewCertPool()
	r.RootCAs.AddCert(certificates.Certificate())
	transcript := r.probe(t, Target{URL: "https://" + listener.Addr().String() + "/mcp"})
	wantSteps(t, transcript, "modern discover http.reset", "modern discover try2 400", "legacy initialize 200", "legacy initialized 202",
		"legacy list_tools p1 200", "legacy unknown_tool 200")
	if e := transcript.Exchanges[1]; e.Proto != "HTTP/2.0" || e.TLSVersion != "TLS 1.3" {
		t.Errorf("%s over %s", e.Proto, e.TLSVersion)
	}
	if first, second := transcript.Exchanges[0], transcript.Exchanges[1]; string(first.RequestID) == string(second.RequestID) || first.Step != wire.StepDiscover {
		t.Errorf("both attempts have the id %s", first.RequestID)
	}
}

// sendGoAway answers the first request of an HTTP/2 connection with GOAWAY, as if it had not been seen.
func sendGoAway(t *testing.T, c net.Conn) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return // the client is gone
	}
	framer := http2.NewFramer(c, c)
	if err := framer.WriteSettings(); err != nil {
		t.Error(err)
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		if _, ok := frame.(*http2.DataFrame); ok { // the request is complete
			if err := framer.WriteGoAway(0, http2.ErrCodeNo, nil); err != nil {
				t.Error(err)
			}
			return
		}
	}
}
