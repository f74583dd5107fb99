package prober

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/streamable"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// legacy takes the steps of the legacy era over an open carrier and returns the reply to initialize.
//
// An object that does not complete the handshake still shows a server: it gets notifications/initialized and one page of
// tools/list, so that the fault does not hide a list, and nothing more.
func (v *visit) legacy(ctx context.Context, s *session) exchange.Reply {
	reply := v.ask(ctx, s, v.initialize(s))
	hello, ok := readHandshake(reply)
	if !ok {
		return reply
	}
	v.enter(s, reply, hello)
	if !v.stopped {
		v.ask(ctx, s, initialized())
	}
	if !v.stopped {
		v.survey(ctx, s)
	}
	return reply
}

// handshake is what the prober needs of an initialize result.
type handshake struct {
	version  string // empty when there is none
	complete bool   // see wire.ReadInitialize
}

// readHandshake is false when the reply is no initialize result at all.
func readHandshake(reply exchange.Reply) (handshake, bool) {
	result, ok := readResult(reply)
	if !ok {
		return handshake{}, false
	}
	version, complete := wire.ReadInitialize(result)
	return handshake{version: version, complete: complete && !nested(reply)}, true
}

// readResult returns the object that a request for a handshake brought. One that came with an error status is none: the
// server did not mean it.
func readResult(reply exchange.Reply) (wire.Object, bool) {
	if reply.Answer == nil || reply.Answer.Type != wire.TypeResult || reply.Exchange.Status/100 != 2 {
		return wire.Object{}, false
	}
	result, _, err := wire.ReadObject(reply.Answer.Result)
	return result, err == nil
}

// nested says whether the result is a message of its own, which completes no handshake whatever else is in it.
func nested(reply exchange.Reply) bool {
	return slices.Contains(reply.Answer.Flaws, wire.NestedEnvelope)
}

// enter takes over what the handshake settled. The session belongs to the host that answered, so that is where it goes
// on after a redirect.
func (v *visit) enter(s *session, reply exchange.Reply, hello handshake) {
	s.complete = s.complete || hello.complete
	s.version = hello.version
	if !fitsHeader(s.version) {
		s.version = wire.OfferLegacy
	}
	if s.stream != nil {
		s.stream.Version = s.version
		s.stream.Session = streamable.SessionOf(reply.Exchange)
		s.stream.URL = reply.URL
		v.settle(s.stream)
	}
}

// fitsHeader says whether a version that a server made up can be sent back in a header.
func fitsHeader(version string) bool {
	for i := range len(version) {
		if version[i] <= ' ' || version[i] > '~' {
			return false
		}
	}
	return version != "" && len(version) <= 64
}

// askInSession asks, and when the session turns out to be lost, begins a new one. It returns true when that happened:
// the reply is of no use then, and the caller starts over.
func (v *visit) askInSession(ctx context.Context, s *session, q question) (reply exchange.Reply, restarted bool) {
	reply = v.ask(ctx, s, q)
	if v.stopped || s.restarted || !s.lost(reply) {
		return reply, false
	}
	s.restarted = true
	if reply.Exchange.Status != http.StatusOK {
		v.forget(s.stream)
	}
	s.stream.Version, s.stream.Session = "", ""
	again := v.ask(ctx, s, v.initialize(s))
	hello, ok := readHandshake(again)
	if !ok {
		return reply, false
	}
	v.enter(s, again, hello)
	if !v.stopped {
		v.ask(ctx, s, initialized())
	}
	return reply, !v.stopped
}

// lost says whether a reply means that the server no longer knows the session: 404 to a request that carries one, and
// 400 or 200 with something else than an answer to our id, as some servers have it.
func (s *session) lost(reply exchange.Reply) bool {
	if s.stream == nil || s.stream.Session == "" {
		return false
	}
	e := reply.Exchange
	answered := reply.Answer != nil && (reply.Match == wire.IDExact || reply.Match == wire.IDLoose)
	complete := e.Failure == "" || e.Failure == wire.StreamEnded
	switch e.Status {
	case http.StatusNotFound:
		return true
	case http.StatusBadRequest, http.StatusOK:
		return complete && !answered && len(e.Body) > 0
	}
	return false
}
