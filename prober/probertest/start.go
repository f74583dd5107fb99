package probertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Running is a server that listens on loopback.
type Running struct {
	*Handler
	Origin string // scheme, host and port
	URL    string // the endpoint: streamable HTTP where it is served, else the HTTP+SSE stream
	stop   func()
}

// Stop ends every connection and the listener. It can be called more than once.
func (r *Running) Stop() { r.stop() }

// TB is the part of testing.TB that Start needs; it keeps package testing out of programs that simulate a world.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start serves the description on a free loopback port until the test ends.
func Start(tb TB, s Server) *Running {
	tb.Helper()
	running, err := Listen(s, "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("start a server for the test: %v", err)
	}
	tb.Cleanup(running.Stop)
	return running
}

// Listen serves the description at a TCP address; port 0 means a free one.
func Listen(s Server, address string) (*Running, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for a simulated server: %w", err)
	}
	h := New(s)
	server := &http.Server{Handler: h, ConnState: h.ConnState, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	origin := "http://" + listener.Addr().String()
	return &Running{Handler: h, Origin: origin, URL: origin + s.EndpointPath(), stop: func() {
		h.Close()
		_ = server.Close() // the listener is closed in any case
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			panic(err) // Serve ends in no other way after Close
		}
		served <- http.ErrServerClosed // for the next Stop
	}}, nil
}

// EndpointPath is the path that a registry would declare.
func (s *Server) EndpointPath() string {
	if !s.serves(wire.StreamableHTTP) {
		return s.ssePath()
	}
	return orElse(s.Path, "/mcp")
}
