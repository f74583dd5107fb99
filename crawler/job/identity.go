package job

import (
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober"
	"github.com/mcpcensus/mcpcensus/prober/dial"
)

// release is the version of the program without the commit: what is sent stays the same between two builds of a release, and
// so do the answers of servers that repeat it.
func release(program string) string {
	version, _, _ := strings.Cut(program, "+")
	return version
}

// userAgent is how the census introduces itself, with an address for whoever wants to know.
func userAgent(program, contact string) string {
	return "mcpcensus/" + release(program) + " (+" + contact + ")"
}

// dialerFor returns a dialer that may connect to the port of a URL and to the usual ones.
func (p *process) dialerFor(s Settings, u *url.URL) *dial.Dialer {
	return &dial.Dialer{Policy: dial.PolicyFor(u, s.AllowPrivate), Resolver: p.resolver}
}

func (p *process) proberFor(s Settings) *prober.Prober {
	return &prober.Prober{
		Resolver: p.resolver, AllowPrivate: s.AllowPrivate, RootCAs: p.RootCAs,
		UserAgent: userAgent(p.Program, s.Contact), Name: "mcpcensus", Version: release(p.Program),
		Now: p.Clock.Now, Sleep: p.Clock.Sleep, Random: rand.Float64,
	}
}
