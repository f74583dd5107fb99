package prober

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/streamable"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// defaultPause is waited for when a server is busy and does not say for how long.
const defaultPause = 2 * time.Second

// spread is the largest part that chance adds to a pause (draft SEP-3304, rule RL-7).
const spread = 0.25

// carrier is a transport with an open session.
type carrier interface {
	Do(context.Context, exchange.Call) exchange.Reply
}

// session is what later requests need to know of the handshake.
type session struct {
	era       wire.Era
	transport wire.Transport
	ids       requestIDs
	carrier   carrier
	stream    *streamable.Client // the carrier, when it is streamable HTTP
	version   string
	restarted bool // the session was lost once
	arguments map[string]headerPaths
}

// attempt is what attempts are counted by.
type attempt struct {
	transport wire.Transport
	era       wire.Era
	step      wire.Step
	page      int
	name      string
}

func (v *visit) nextTry(a attempt) int {
	v.tries[a]++
	return v.tries[a]
}

// ask sends one message, again where that can help, and returns the last reply. Each attempt has a request id of its
// own.
func (v *visit) ask(ctx context.Context, s *session, q question) exchange.Reply {
	a := attempt{transport: s.transport, era: s.era, step: q.step, page: q.page, name: q.name}
	return v.attempt(ctx, a, s.stream, func(try int) exchange.Reply {
		return s.carrier.Do(ctx, q.call(try))
	})
}

// attempt repeats a step at most once for each of these reasons: the server asked for a short pause, the connection was
// reset, the answer went to a stream that was not open yet. Calls of tools are only repeated when the server refused
// them for being busy, and calls that the operator allowed are never repeated. stream may be nil.
func (v *visit) attempt(ctx context.Context, a attempt, stream *streamable.Client, send func(try int) exchange.Reply) exchange.Reply {
	call := a.step == wire.StepCall || a.step == wire.StepUnknownTool
	var paused, repeated bool
	for {
		reply := send(v.nextTry(a))
		v.note(ctx, reply)
		pause, busy := v.busy(reply)
		switch {
		case v.stopped:
			return reply
		case busy && a.step == wire.StepCall:
			return reply
		case busy && (paused || pause > v.limits.Pause):
			v.stop(wire.EndedDeferred)
			v.pause = pause
			return reply
		case busy:
			paused = true
			if err := v.prober.sleep(ctx, v.spread(pause)); err != nil {
				v.noteContext(ctx)
				return reply
			}
		case stream != nil && stream.CanRepeat(reply):
			if call || repeated {
				stream.Close()
				return reply
			}
			repeated = true
		case reply.Exchange.Failure == wire.HTTPReset && reply.Answer == nil && !call && !repeated:
			repeated = true
		default:
			return reply
		}
	}
}

// busy returns the pause that a server under load asks for, and whether it is under load: 429, 503 with a pause, or the
// error of draft SEP-3304.
func (v *visit) busy(reply exchange.Reply) (time.Duration, bool) {
	pause, named := reply.Pause(v.recorder.Now())
	switch {
	case reply.Exchange.Status == http.StatusTooManyRequests, errorCode(reply) == exchange.RateLimited:
		if !named {
			pause = defaultPause
		}
		return pause, true
	case reply.Exchange.Status == http.StatusServiceUnavailable && named:
		return pause, true
	}
	return 0, false
}

// spread lengthens a pause by chance, so that clients do not come back together.
func (v *visit) spread(pause time.Duration) time.Duration {
	if v.prober.Random == nil {
		return pause
	}
	return pause + time.Duration(float64(pause)*spread*v.prober.Random())
}

// note stops the visit when a reply leaves nothing to ask.
func (v *visit) note(ctx context.Context, reply exchange.Reply) {
	e := reply.Exchange
	switch {
	case errors.Is(reply.Blocked, exchange.ErrBudget):
		v.stop(wire.EndedBudget)
	case reply.Blocked != nil && ctx.Err() == nil:
		v.stop(wire.EndedInterrupted)
	case unreachable(e.Failure):
		v.stopped, v.left = true, true
	case barred(e.Status):
		v.stopped = true
	}
	v.noteContext(ctx)
}

// noteContext stops the visit when its context is over.
func (v *visit) noteContext(ctx context.Context) {
	if ctx.Err() == nil || v.ended != wire.EndedDone {
		return
	}
	v.stop(wire.EndedInterrupted)
	if errors.Is(context.Cause(ctx), exchange.ErrDeadline) {
		v.ended = wire.EndedDeadline
	}
}

func (v *visit) stop(end wire.Ended) {
	v.stopped, v.left, v.ended = true, true, end
}

// unreachable says whether a failure concerns the host and not the request.
func unreachable(f wire.Failure) bool {
	layer, _, _ := strings.Cut(string(f), ".")
	return layer == "resolve" || layer == "connect" || layer == "tls" || f == wire.PolicyAddress
}

// barred says whether a status means that strangers are not served. It says nothing about the era.
func barred(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired:
		return true
	}
	return false
}
