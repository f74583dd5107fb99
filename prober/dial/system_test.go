package dial

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
)

func TestSystemFindsLocalhost(t *testing.T) {
	t.Parallel()
	r := NewResolver(nil)
	for _, host := range []string{"localhost", "LocalHost.", "mcp.localhost"} {
		addrs, err := r.Resolve(t.Context(), host)
		if err != nil || len(addrs) == 0 {
			t.Errorf("%s: got %v, %v", host, addrs, err)
		}
		for _, addr := range addrs {
			if !addr.IsLoopback() {
				t.Errorf("%s is %s, not this machine", host, addr)
			}
		}
	}
}

// Name servers hear of names with a dot alone: neither of this machine nor of what could only be found by a search domain.
func TestSystemAsksNameServers(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"mcp.example.invalid":    true,
		"no-such-name-anywhere":  false,
		"localhost":              false,
		"no-such-name.localhost": false,
	} {
		var asked atomic.Bool
		names := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			asked.Store(true)
			return nil, errors.New("no name server in this test")
		}}
		_, err := systemLookup(names)(t.Context(), host)
		if asked.Load() != want {
			t.Errorf("%s: name servers were asked: %t, want %t (%v)", host, asked.Load(), want, err)
		}
		if host == "no-such-name-anywhere" && !notFound(err) {
			t.Errorf("%s: got %v, want not found", host, err)
		}
	}
}

// A server on this machine is reached by its name when the policy admits it, and by nobody else.
func TestDialLocalhost(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	_, text, _ := net.SplitHostPort(listener.Addr().String())
	for _, private := range []bool{true, false} {
		d := &Dialer{Policy: Policy{AllowPrivate: private, Port: port}, Resolver: NewResolver(nil)}
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("localhost", text))
		if conn != nil {
			_ = conn.Close()
		}
		var refused *RefusedError
		if private && err != nil || !private && !errors.As(err, &refused) {
			t.Errorf("private networks allowed: %t: %v", private, err)
		}
	}
}
