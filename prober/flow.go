package prober

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/sse"
	"github.com/mcpcensus/mcpcensus/prober/streamable"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// visit is one visit in progress.
type visit struct {
	prober   *Prober
	limits   Limits
	target   Target
	url      *url.URL
	recorder *exchange.Recorder
	unknown  string // name of the tool that cannot exist
	tries    map[attempt]int

	stopped bool // nothing more is asked
	left    bool // not even to end a session
	open    []openSession
	ended   wire.Ended
	pause   time.Duration
}

// run takes the steps that the answers allow: both eras over streamable HTTP, and HTTP+SSE where it is declared or
// where the answer to initialize points there. An endpoint that is declared as HTTP+SSE alone is taken at its word
// first, and then only asked for the modern era, so that both eras are asked everywhere.
func (v *visit) run(ctx context.Context) {
	declared := func(t wire.Transport) bool { return slices.Contains(v.target.Declared, t) }
	sseFirst := declared(wire.HTTPSSE) && !declared(wire.StreamableHTTP)
	isSSE := sseFirst && v.overSSE(ctx)
	if v.stopped {
		return
	}
	isModern := v.modern(ctx)
	if v.stopped || isSSE {
		return
	}
	reply := v.overStreamable(ctx)
	if v.stopped || sseFirst {
		return
	}
	if declared(wire.HTTPSSE) || !isModern && pointsToSSE(reply) {
		v.overSSE(ctx)
	}
}

// overStreamable takes the steps of the legacy era over streamable HTTP and returns the reply to initialize.
func (v *visit) overStreamable(ctx context.Context) exchange.Reply {
	client := v.newStreamable(wire.Legacy)
	defer client.Close()
	return v.legacy(ctx, &session{era: wire.Legacy, transport: wire.StreamableHTTP, ids: legacyIDs, carrier: client, stream: client})
}

// overSSE takes the steps of the legacy era over HTTP+SSE, and says whether the endpoint speaks that.
func (v *visit) overSSE(ctx context.Context) bool {
	var client *sse.Client
	at := attempt{transport: wire.HTTPSSE, era: wire.Legacy, step: wire.StepOpenStream}
	reply := v.attempt(ctx, at, nil, func(try int) exchange.Reply {
		var reply exchange.Reply
		client, reply = sse.Open(ctx, v.recorder, v.url, try)
		return reply
	})
	if client == nil {
		return reply.Exchange.Failure == wire.PolicyEndpoint
	}
	defer client.Close()
	if v.stopped {
		return true
	}
	v.legacy(ctx, &session{era: wire.Legacy, transport: wire.HTTPSSE, ids: sseIDs, carrier: client})
	return true
}

func (v *visit) newStreamable(era wire.Era) *streamable.Client {
	return &streamable.Client{Recorder: v.recorder, URL: v.url, Era: era, Sleep: v.rest, Listen: v.limits.Listen}
}

// pointsToSSE applies the rule of 2025-11-25, basic/transports, Backwards Compatibility: 400, 404 or 405 to initialize,
// unless the error is one that only a modern server sends. A server that asks for a pause is not asked more (draft rule
// TR-10 of the transports working group).
func pointsToSSE(reply exchange.Reply) bool {
	switch reply.Exchange.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
	default:
		return false
	}
	_, pause := reply.Exchange.ResponseHeader.Get("Retry-After")
	return !pause && !slices.Contains(modernErrors, reply.ErrorCode())
}
