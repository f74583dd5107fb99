package prober

import (
	"context"
	"net/url"
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/streamable"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// openSession is a session that a server gave, whether or not a handshake came with it, and that is to be ended.
type openSession struct {
	era     wire.Era
	url     *url.URL // that gave it
	id      string
	version string // to name when it is ended; empty when none was settled
}

func (o openSession) is(u *url.URL, id string) bool {
	return o.id == id && o.url.Scheme == u.Scheme && o.url.Host == u.Host
}

// remember keeps the session that a reply gives.
func (v *visit) remember(c *streamable.Client, reply exchange.Reply) {
	id := streamable.SessionOf(reply.Exchange)
	if id == "" || v.find(reply.URL, id) >= 0 {
		return
	}
	v.open = append(v.open, openSession{era: c.Era, url: reply.URL, id: id, version: c.Version})
}

func (v *visit) find(u *url.URL, id string) int {
	return slices.IndexFunc(v.open, func(o openSession) bool { return o.is(u, id) })
}

// settle notes the version that the handshake of the session of c settled.
func (v *visit) settle(c *streamable.Client) {
	if i := v.find(c.URL, c.Session); i >= 0 {
		v.open[i].version = c.Version
	}
}

// forget strikes the session of c, which the server no longer knows.
func (v *visit) forget(c *streamable.Client) {
	v.open = slices.DeleteFunc(v.open, func(o openSession) bool { return o.is(c.URL, c.Session) })
}

// leave ends the sessions that are open, each once (2025-11-25, basic/transports, Session Management). It is the end of
// the visit, so that no answer to it keeps a step from being taken.
func (v *visit) leave(ctx context.Context) {
	for _, o := range v.open {
		if v.left {
			return
		}
		client := v.newStreamable(o.era)
		client.URL, client.Session, client.Version = o.url, o.id, o.version
		try := v.nextTry(attempt{transport: wire.StreamableHTTP, era: o.era, step: wire.StepDelete})
		v.note(ctx, client.Delete(ctx, try))
	}
}
