package exchange

import (
	"context"
	"errors"
	"io"
	"net/url"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// errEnough is the cause of a request's context when what was waited for is there and the response goes on.
var errEnough = errors.New("the answer is there")

// errTooLarge means that a response has more bytes than are kept.
var errTooLarge = errors.New("the response is larger than the cap")

// Response is one response: at first its header, its body once it was read.
type Response struct {
	Exchange *wire.Exchange
	URL      *url.URL // the last one, after redirects
	// Blocked is why the gate did not let the request pass; nil when it was sent.
	Blocked error

	recorder *Recorder
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	body     io.ReadCloser
	answer   *wire.Answer // set when the response was read
	settled  bool         // the gate knows the outcome
}

// Open says whether a header has arrived and the body is still to be read.
func (r *Response) Open() bool { return r.body != nil }

// Limit bounds the rest of a Lasting response by the time of a step, once it turned out not to be a stream.
func (r *Response) Limit() {
	if r.Open() && r.timer == nil {
		r.timer = time.AfterFunc(r.recorder.config.Limits.Step, func() { r.cancel(errStep) })
	}
}

// enough ends the reading: nothing more is waited for.
func (r *Response) enough() {
	if r.cancel != nil {
		r.cancel(errEnough)
	}
}

// linger gives the response a moment to end by itself, now that the answer is there.
func (r *Response) linger() {
	r.Exchange.Duration = r.recorder.config.Now().Sub(r.Exchange.Started)
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(r.recorder.config.Limits.Linger, r.enough)
}

// end closes the exchange: err is nil when the body was read to its end. timeout is the failure when the time of the step was over.
func (r *Response) end(err error, timeout wire.Failure) {
	e := r.Exchange
	if r.timer != nil {
		r.timer.Stop()
	}
	switch {
	case err == nil:
	case errors.Is(err, errTooLarge), errors.Is(err, wire.ErrTooLarge), errors.Is(err, wire.ErrEventTooLarge):
		e.Failure, e.FailureDetail = wire.HTTPBodyTooBig, err.Error()
	case errors.Is(err, wire.ErrTooManyEvents):
		e.Failure, e.FailureDetail = wire.StreamTooMany, err.Error()
	case r.ctx.Err() != nil && errors.Is(context.Cause(r.ctx), errEnough):
		e.LeftOpen = true
	default:
		e.Failure, e.FailureDetail = failureOf(r.ctx, err, timeout)
	}
	if e.Duration == 0 {
		e.Duration = r.recorder.config.Now().Sub(e.Started)
	}
	r.cancel(errEnough)
	if r.body != nil {
		_ = r.body.Close() // nothing more is read
		r.body = nil
	}
	r.settle()
}

// settle tells the gate what came of the request, once. The gate knows by itself what 429 and 503 mean.
func (r *Response) settle() {
	if r.settled {
		return
	}
	r.settled = true
	reply := ReplyOf(r)
	pause, named := reply.Pause(r.recorder.config.Now())
	switch {
	case named:
		r.recorder.hear(pause)
	case reply.ErrorCode() == RateLimited:
		pause = DefaultPause
	}
	r.recorder.config.Gate.Observe(r.Exchange.Status, pause)
}
