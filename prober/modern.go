package prober

import (
	"context"
	"encoding/json"
	"time"

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
	version := newestModern(discovered(reply))
	if version == "" || v.stopped {
		return version != ""
	}
	s.version, client.Version, client.URL = version, version, reply.URL
	v.survey(ctx, s)
	return true
}

// otherModern returns the modern version that a server names when it refuses the one that was offered.
func otherModern(reply exchange.Reply) (string, bool) {
	if errorCode(reply) != unsupportedVersion {
		return "", false
	}
	data, _, err := wire.ReadObject(reply.Answer.Error.Data)
	if err != nil {
		return "", false
	}
	supported, _ := data.Get("supported")
	version := newestModern(supported)
	return version, version != "" && version != wire.OfferModern
}

// discovered returns the raw supportedVersions of a discover result.
func discovered(reply exchange.Reply) json.RawMessage {
	if reply.Answer == nil || reply.Answer.Type != wire.TypeResult {
		return nil
	}
	result, _, err := wire.ReadObject(reply.Answer.Result)
	if err != nil {
		return nil
	}
	versions, _ := result.Get("supportedVersions")
	return versions
}

// newestModern picks from a raw list of versions the one to go on with: what is offered, if it is there, otherwise the
// newest modern one, otherwise "". A date behind that of every known revision is a modern one that is not known yet.
func newestModern(raw json.RawMessage) string {
	list, err := wire.ReadArray(raw)
	if err != nil {
		return ""
	}
	newest := ""
	for _, item := range list {
		version, _ := wire.ReadString(item)
		if version == wire.OfferModern {
			return version
		}
		if isModern(version) && version > newest {
			newest = version
		}
	}
	return newest
}

func isModern(version string) bool {
	if r, known := wire.FindRevision(version); known {
		return r.Era == wire.Modern
	}
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version > wire.OfferModern
}
