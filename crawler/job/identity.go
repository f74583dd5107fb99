package job

import (
	"math/rand/v2"
	"net/url"

	"github.com/mcpcensus/mcpcensus/prober"
	"github.com/mcpcensus/mcpcensus/prober/dial"
)

// userAgent is how the census introduces itself, with an address for whoever wants to know.
func userAgent(program, contact string) string {
	return "mcpcensus/" + program + " (+" + contact + ")"
}

// resolverFor returns the resolver of a run: every name is resolved once a run.
func (p *process) resolverFor(run string) *dial.Resolver {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.resolvers[run]
	if !ok {
		r = dial.NewResolver(p.Lookup)
		p.resolvers[run] = r
	}
	return r
}

// dialerFor returns a dialer that may connect to the port of a URL and to the usual ones.
func (p *process) dialerFor(run string, s Settings, u *url.URL) *dial.Dialer {
	return &dial.Dialer{Policy: dial.PolicyFor(u, s.AllowPrivate), Resolver: p.resolverFor(run)}
}

func (p *process) proberFor(run string, s Settings) *prober.Prober {
	return &prober.Prober{
		Resolver: p.resolverFor(run), AllowPrivate: s.AllowPrivate, RootCAs: p.RootCAs,
		UserAgent: userAgent(p.Program, s.Contact), Name: "mcpcensus", Version: p.Program,
		Now: p.Clock.Now, Sleep: p.Clock.Sleep, Random: rand.Float64,
	}
}
