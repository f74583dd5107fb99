package dial

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"testing"
)

// rawServer answers every request on loopback with the next of the byte strings; behind the last it closes.
// It counts its connections.
func rawServer(t *testing.T, answers ...string) (origin string, opened *atomic.Int32) {
	t.Helper()
	opened = new(atomic.Int32)
	origin = listen(t, func(c net.Conn) {
		opened.Add(1)
		in := bufio.NewReader(c)
		for _, answer := range answers {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	})
	return origin, opened
}

// listen serves every connection with handle, and closes it behind that.
func listen(t *testing.T, handle func(net.Conn)) (origin string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// reset ends a connection with RST.
func reset(c net.Conn) {
	if err := c.(*net.TCPConn).SetLinger(0); err == nil {
		_ = c.Close()
	}
}

// loopback returns a dialer that may go to loopback on the port of the URL; names resolve by the map.
func loopback(t *testing.T, target string, names map[string]string) *Dialer {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return &Dialer{Policy: PolicyFor(u, true), Resolver: NewResolver(lookupIn(names))}
}

func lookupIn(names map[string]string) Lookup {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		text, ok := names[host]
		if !ok {
			return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
		}
		if text == "" {
			return nil, &net.DNSError{Err: "server misbehaving", Name: host, Server: "10.9.8.7:53", IsTemporary: true}
		}
		return []netip.Addr{netip.MustParseAddr(text)}, nil
	}
}

// fetch sends a POST and reads the whole body.
func fetch(t *testing.T, transport *Transport, target string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func response(status int, header, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n%s", status, header, body)
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
