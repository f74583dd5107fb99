package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Endpoint is one MCP endpoint of the world.
type Endpoint struct {
	Kind     string
	Operator string // who runs it, such as "operator-007"
	Address  string // host and port, once the world has started
	URL      string // canonical spelling, once the world has started
	Type     wire.Transport
	// Handler is the server, for its log; nil for an endpoint where nobody listens.
	Handler *probertest.Handler

	kind   kind
	server probertest.Server
	tools  []tool
	host   *host
	path   string
}

// host is one address with one or more endpoints.
type host struct {
	endpoints []*Endpoint
	server    *http.Server
	address   string
}

// makeFleet cuts size endpoints out of the table of kinds and spreads them over hosts and operators.
func makeFleet(random *rand.Rand, size int, wanted func(kind) bool) ([]*Endpoint, []*host) {
	var table []kind
	for _, k := range kinds() {
		if wanted(k) {
			table = append(table, k)
		}
	}
	var fleet []*Endpoint
	var hosts []*host
	operators := 0
	for n := range size {
		k := table[n%len(table)]
		if k.fate == "" {
			k.fate = shakesHands
		}
		e := &Endpoint{Kind: k.name, Type: wire.StreamableHTTP, kind: k, server: k.server}
		if len(k.server.Transports) > 0 {
			e.Type = k.server.Transports[0]
		}
		if k.fate == shakesHands && !k.bare && k.noList == "" {
			e.tools = makeTools(random, n)
		}
		shares := n > 0 && !k.solo && !fleet[n-1].kind.solo && len(hosts[len(hosts)-1].endpoints) < 3 && random.Float64() < 0.3
		if !shares {
			hosts = append(hosts, &host{})
			if n == 0 || random.Float64() < 0.75 {
				operators++
			}
		}
		e.Operator = fmt.Sprintf("operator-%03d", operators)
		e.host = hosts[len(hosts)-1]
		e.host.endpoints = append(e.host.endpoints, e)
		fleet = append(fleet, e)
	}
	return fleet, hosts
}

// listen opens the hosts. Each gets an address of its own in 127.1.0.0/16 where the system lets any address of
// 127.0.0.0/8 be used (Linux), else a port of its own on 127.0.0.1.
func (h *host) listen(ctx context.Context, n int) error {
	var config net.ListenConfig
	own := fmt.Sprintf("127.1.%d.%d", n/250, 1+n%250)
	listener, err := config.Listen(ctx, "tcp", own+":0")
	if err != nil {
		listener, err = config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("listen for a simulated host: %w", err)
	}
	h.address = listener.Addr().String()
	h.place()
	if h.endpoints[0].kind.name == "refused" {
		return listener.Close() // a port where somebody listened a moment ago, and nobody does now
	}
	h.server = serve(listener, h)
	return nil
}

// place gives the endpoints of the host their paths and URLs.
func (h *host) place() {
	for i, e := range h.endpoints {
		prefix := ""
		if len(h.endpoints) > 1 {
			prefix = fmt.Sprintf("/%c", 'a'+i)
		}
		s := &e.server
		s.SSEPath, s.MessagePath = prefix+"/sse", prefix+"/messages"
		if e.kind.name != "redirect_same_host" { // its paths are part of its fault, and it is alone
			s.Path = prefix + "/mcp"
		}
		for _, t := range e.tools {
			s.Tools = append(s.Tools, t.declared())
		}
		e.path, e.Address = prefix, h.address
		e.URL = "http://" + h.address + s.EndpointPath()
		if e.kind.name != "refused" {
			e.Handler = probertest.New(*s)
		}
	}
}

// ServeHTTP passes a request to the endpoint with that path; there is nothing else on the host, no robots.txt either.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, e := range h.endpoints {
		if r.URL.Path != "/robots.txt" && strings.HasPrefix(r.URL.Path, e.path+"/") {
			e.Handler.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

func (h *host) stop() {
	if h.server == nil {
		return
	}
	for _, e := range h.endpoints {
		e.Handler.Close()
	}
	_ = h.server.Close() // the listener is closed in any case
}

func serve(listener net.Listener, handler http.Handler) *http.Server {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // Serve ends in no other way after Close
		}
	}()
	return server
}
