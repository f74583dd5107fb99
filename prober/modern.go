package prober

import (
	"context"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The errors that 2026-07-28 defines.
const (
	headerMismatch     = -32020
	missingCapability  = -32021
	unsupportedVersion = -32022
)

var modernErrors = []int64{headerMismatch, missingCapability, unsupportedVersion}

// modern takes the steps of the modern era, and says whether the endpoint speaks a revision of it. A server can answer
// server/discover without that (2026-07-28, basic/versioning): what counts is the list of versions.
func (v *visit) modern(ctx context.Context) bool {
	client := v.newStreamable(wire.Modern)
	s := &session{era: wire.Modern, transport: wire.StreamableHTTP, ids: modernIDs, carrier: client, stream: client}
	offer := func(version string) exchange.Reply {
		s.version, client.Version = version, version
		return v.ask(ctx, s, v.discover(s))
	}
	reply := offer(wire.OfferModern)
	if other, ok := otherModern(reply); ok && !v.stopped {
		reply = offer(other)
	}
	version := discovered(reply)
	if version == "" || v.stopped {
		return version != ""
	}
	s.version, s.complete, client.Version, client.URL = version, true, version, reply.URL
	v.survey(ctx, s)
	return true
}

// otherModern returns the modern version that a server names when it refuses the one that was offered.
func otherModern(reply exchange.Reply) (string, bool) {
	if reply.ErrorCode() != unsupportedVersion {
		return "", false
	}
	data, _, err := wire.ReadObject(reply.Answer.Error.Data)
	if err != nil {
		return "", false
	}
	supported, _ := data.Get("supported")
	version, _ := wire.NewestModern(supported)
	return version, version != "" && version != wire.OfferModern
}

// discovered returns the modern revision that a reply to server/discover settles, or "".
func discovered(reply exchange.Reply) string {
	result, ok := readResult(reply)
	if !ok || nested(reply) {
		return ""
	}
	revision, _ := wire.ReadDiscover(result)
	return revision
}
