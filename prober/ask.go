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

// spread is the largest part that chance adds to a pause before a stream is resumed.
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
	complete  bool // a handshake was completed
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

// attempt repeats a step at most once for each of these reasons: the server was busy, the connection was reset, the
// answer went to a stream that was not open yet. Calls of tools are only repeated when the server refused them for being
// busy, and calls that the operator allowed are never repeated. The gate waits for what a server asked for before it lets
// the next request pass, repeated or not. stream may be nil.
func (v *visit) attempt(ctx context.Context, a attempt, stream *streamable.Client, send func(try int) exchange.Reply) exchange.Reply {
	call := a.step == wire.StepCall || a.step == wire.StepUnknownTool
	var paused, repeated bool
	for {
		reply := send(v.nextTry(a))
		v.note(ctx, reply)
		if stream != nil {
			v.remember(stream, reply)
		}
		pause, busy := v.busy(reply)
		switch {
		case v.stopped:
			return reply
		case busy && a.step == wire.StepCall:
			return reply
		case busy && paused:
			v.postpone(pause)
			return reply
		case busy:
			paused = true
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

// busy says whether a server refused a request for being under load, so that it can be asked again: 429, 503 with a
// pause, or the error of draft SEP-3304. It returns the pause that goes with it.
func (v *visit) busy(reply exchange.Reply) (time.Duration, bool) {
	pause, named := reply.Pause(v.recorder.Now())
	if !named {
		pause = exchange.DefaultPause
	}
	switch {
	case reply.Exchange.Status == http.StatusTooManyRequests, reply.ErrorCode() == exchange.RateLimited:
		return pause, true
	case reply.Exchange.Status == http.StatusServiceUnavailable && named:
		return pause, true
	}
	return 0, false
}

// postpone ends the visit because of a pause that is too long, or the second one at the same step.
func (v *visit) postpone(pause time.Duration) {
	v.stop(wire.EndedDeferred)
	v.pause = pause
}

// rest waits before a stream is resumed, a little longer by chance, so that clients do not come back together.
func (v *visit) rest(ctx context.Context, pause time.Duration) error {
	if v.prober.Random != nil {
		pause += time.Duration(float64(pause) * spread * v.prober.Random())
	}
	return v.prober.sleep(ctx, pause)
}

// note stops the visit when a reply leaves nothing to ask. A long pause ends it whatever the status that named it: the
// gate would keep it before the next request.
func (v *visit) note(ctx context.Context, reply exchange.Reply) {
	e := reply.Exchange
	pause, long := v.recorder.LongPause()
	switch {
	case errors.Is(reply.Blocked, exchange.ErrBudget):
		v.stop(wire.EndedBudget)
	case long:
		v.postpone(pause)
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
