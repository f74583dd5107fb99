package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// World is a simulated registry with the endpoints that it declares. The same seed and size give the same world, but
// for the ports.
type World struct {
	// Private adds active rows with private and link-local addresses. Leave it false for a census that is allowed to dial
	// private addresses: it would send packets into the network around the machine.
	Private bool
	// Slow adds kinds of endpoints that keep a visitor waiting until its deadlines.
	Slow bool
	// Steady leaves out the kinds of endpoints that answer by how often they were asked, so that a second visit finds what
	// the first one found.
	Steady bool

	// Registry and Endpoints are there once the world has started.
	Registry  *Registry
	Endpoints []*Endpoint

	seed         uint64
	size         int
	hosts        []*host
	server       *http.Server
	declarations []Declaration
	started      []Row // the rows at the start
}

// DemoSize is the number of endpoints that has every kind once but the slow ones, and takes a polite census (500 ms
// between requests to a host) well under 40 s.
const DemoSize = 42

// New makes a world with that many endpoints.
func New(seed uint64, size int) *World { return &World{seed: seed, size: size} }

// Start opens the registry and the endpoints on loopback. They run until stop is called or ctx is done.
func (w *World) Start(ctx context.Context) (registryURL string, stop func(), err error) {
	if w.Registry != nil {
		return "", nil, fmt.Errorf("this world has already started: make a new one")
	}
	w.Endpoints, w.hosts = makeFleet(rand.New(rand.NewPCG(w.seed, 1)), w.size, w.wants)
	for n, h := range w.hosts {
		if err := h.listen(ctx, n); err != nil {
			w.stop()
			return "", nil, err
		}
	}
	b := &book{clock: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)}
	for n, e := range w.Endpoints {
		b.declare(n, e)
	}
	if len(w.Endpoints) > 0 {
		b.special(w.Endpoints[0], w.Private)
	}
	w.declarations, w.started = b.declarations, b.rows
	w.Registry = NewRegistry(b.rows)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		w.stop()
		return "", nil, fmt.Errorf("listen for the simulated registry: %w", err)
	}
	w.server = serve(listener, w.Registry)
	unhook := context.AfterFunc(ctx, w.stop)
	return "http://" + listener.Addr().String(), func() { unhook(); w.stop() }, nil
}

func (w *World) stop() {
	for _, h := range w.hosts {
		h.stop()
	}
	if w.server != nil {
		_ = w.server.Close() // the listener is closed in any case
	}
}

func (w *World) wants(k kind) bool { return (w.Slow || !k.slow) && (!w.Steady || !k.counts) }
