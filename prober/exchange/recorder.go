package exchange

import (
	"context"
	"crypto/x509"
	"errors"
	"sync"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Config is what a Recorder needs.
type Config struct {
	Dialer    *dial.Dialer
	RootCAs   *x509.CertPool // nil stands for those of the system
	UserAgent string
	Gate      Gate // nil stands for OpenGate
	Limits    Limits
	Now       func() time.Time // nil stands for time.Now
}

// Recorder sends the requests of one probe and keeps their exchanges in order. One goroutine uses it; streams that it
// reads in the background lock what they share with it.
type Recorder struct {
	config Config
	first  *dial.Transport
	second *dial.Transport // while the first is held by a stream; nil until needed

	exchanges []*wire.Exchange
	streams   []*Stream
	replies   int // requests of the server that were answered

	mu   sync.Mutex
	kept int64         // bytes of all bodies
	long time.Duration // the longest pause that a server asked for, if it is more than a visit may last
}

// New returns a recorder without exchanges.
func New(c Config) *Recorder {
	c.Limits = c.Limits.OrDefaults()
	if c.Gate == nil {
		c.Gate = OpenGate{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	r := &Recorder{config: c}
	r.first = r.newTransport()
	return r
}

func (r *Recorder) newTransport() *dial.Transport {
	return dial.NewTransport(r.config.Dialer, dial.Options{
		TLSTimeout:    r.config.Limits.Connect,
		HeaderTimeout: r.config.Limits.Header,
		RootCAs:       r.config.RootCAs,
	})
}

// transport returns the connection for a request. Once a stream has held the first one, requests stay on the second: the
// first ends with its stream.
func (r *Recorder) transport(req Request) *dial.Transport {
	if req.Lasting || !req.Second && r.second == nil {
		return r.first
	}
	if r.second == nil {
		r.second = r.newTransport()
	}
	return r.second
}

// Limits returns the limits in force.
func (r *Recorder) Limits() Limits { return r.config.Limits }

// Now returns the time of the recorder's clock.
func (r *Recorder) Now() time.Time { return r.config.Now() }

// Close ends the streams and connections and returns the exchanges in the order in which they were begun.
func (r *Recorder) Close() []wire.Exchange {
	for _, s := range r.streams {
		s.Close()
	}
	r.first.Close()
	if r.second != nil {
		r.second.Close()
	}
	var all []wire.Exchange
	for _, e := range r.exchanges {
		all = append(all, *e)
	}
	return all
}

// begin appends the exchange of a request.
func (r *Recorder) begin(req Request) *wire.Exchange {
	e := &wire.Exchange{
		Seq: len(r.exchanges) + 1, Era: req.Era, Transport: req.Transport, Step: req.Step, Page: req.Page, Try: max(req.Try, 1),
		FollowsOf: req.follows, Method: req.Method, URL: req.URL.String(), RequestHeader: req.Header,
		RequestBody: req.Body, RequestID: req.ID, DeclaredLength: -1, Started: r.config.Now(),
	}
	r.exchanges = append(r.exchanges, e)
	return e
}

// allowance takes up to n bytes from what the probe may keep, and returns how many it got.
func (r *Recorder) allowance(n int, ofThis int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := max(r.config.Limits.Probe-r.kept, leastBody-ofThis)
	left = min(left, r.config.Limits.Body-ofThis)
	got := int(max(0, min(left, int64(n))))
	r.kept += int64(got)
	return got
}

// hear keeps a pause that is longer than a visit may last.
func (r *Recorder) hear(pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if pause > r.config.Limits.Pause {
		r.long = max(r.long, pause)
	}
}

// LongPause returns the pause, longer than a visit may last, that a server asked for, whatever its status. Once there is
// one, nothing more is sent.
func (r *Recorder) LongPause() (pause time.Duration, asked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.long, r.long > 0
}

// failureOf names the error of a request that was cut by its context, or of any other.
func failureOf(ctx context.Context, err error, timeout wire.Failure) (wire.Failure, string) {
	if err == nil || ctx.Err() == nil {
		return dial.Classify(err)
	}
	if errors.Is(context.Cause(ctx), errStep) {
		return timeout, "the time of one step has passed"
	}
	return CutBy(ctx)
}

// CutBy names what ended the context of a probe: its deadline, or the census.
func CutBy(ctx context.Context) (wire.Failure, string) {
	if errors.Is(context.Cause(ctx), ErrDeadline) {
		return wire.Deadline, ErrDeadline.Error()
	}
	return wire.Interrupted, "the census was stopped"
}
