package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// lookupTimeout bounds one lookup.
const lookupTimeout = 10 * time.Second

// Lookup finds the addresses of a name. A name that does not exist is a *net.DNSError with IsNotFound.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// Resolver resolves every name once: whoever asks later gets the same answer, so that a run sees one address of a host
// and name servers are asked once. That holds for the answer that a name does not exist, too. A lookup without an
// answer (no server replied) is forgotten, since it says nothing about the name. Use one Resolver a run.
type Resolver struct {
	lookup Lookup
	mu     sync.Mutex
	names  map[string]*resolution
}

// resolution is one lookup, running or done.
type resolution struct {
	done  chan struct{} // closed when addrs and err are set
	addrs []netip.Addr
	err   error
}

// NewResolver returns a resolver that asks lookup; nil stands for the system: its host file and its name servers, asked
// by Go's own resolver and never by the C library.
func NewResolver(lookup Lookup) *Resolver {
	if lookup == nil {
		lookup = systemLookup(&net.Resolver{PreferGo: true})
	}
	return &Resolver{lookup: lookup, names: map[string]*resolution{}}
}

// Resolve returns the addresses of a name, or of a literal address the address itself. A host that is neither is
// refused with a *RefusedError.
func (r *Resolver) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addr, name, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	if addr.IsValid() {
		return []netip.Addr{addr}, nil
	}
	r.mu.Lock()
	answer, known := r.names[name]
	if !known {
		answer = &resolution{done: make(chan struct{})}
		r.names[name] = answer
		go r.resolve(context.WithoutCancel(ctx), name, answer) // whoever else waits for it is not cancelled with us
	}
	r.mu.Unlock()
	select {
	case <-answer.done:
		return answer.addrs, answer.err
	case <-ctx.Done():
		return nil, &net.DNSError{Err: context.Cause(ctx).Error(), Name: name, IsTimeout: true}
	}
}

func (r *Resolver) resolve(ctx context.Context, name string, answer *resolution) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	addrs, err := r.lookup(ctx, name)
	for _, a := range addrs {
		answer.addrs = append(answer.addrs, a.Unmap())
	}
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: name, IsNotFound: true}
	}
	answer.err = err
	if err != nil && !notFound(err) {
		r.mu.Lock()
		delete(r.names, name)
		r.mu.Unlock()
	}
	close(answer.done)
}

func notFound(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
