package prober

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Gate paces the requests to the host of a target and counts them.
type Gate = exchange.Gate

// ErrBudget means that the request budget of the endpoint is spent; a Gate that returns it ends the visit.
var ErrBudget = exchange.ErrBudget

// Target is one endpoint to visit.
type Target struct {
	Key      string           // canonical key
	URL      string           // http or https
	Declared []wire.Transport // transports that the registry declares for it; empty means not known
	Purpose  wire.Purpose     // empty means main
	Visit    int              // number of the visit with this purpose; 0 means 1
	Calls    []Call           // calls that the operator of the census allows on this endpoint
}

// Call is a call of a tool that the operator of the census allows.
type Call struct {
	Tool      string
	Arguments json.RawMessage // a JSON object; empty means {}
}

// Prober visits endpoints. It is safe for concurrent use.
type Prober struct {
	Resolver     *dial.Resolver // of the run
	AllowPrivate bool           // see dial.Policy
	RootCAs      *x509.CertPool // nil means those of the system
	UserAgent    string         // with a contact
	Name         string         // clientInfo.name
	Version      string         // clientInfo.version
	Limits       Limits

	Now    func() time.Time                           // nil means time.Now
	Sleep  func(context.Context, time.Duration) error // nil means a real sleep
	Random func() float64                             // in [0,1), spreads the pauses before a stream is resumed; nil means no spread
}

// UnknownToolName returns the name of a tool that no server has, the same for the same target every time.
func UnknownToolName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "census_no_such_tool_" + hex.EncodeToString(sum[:4])
}

// Probe visits the target. Whatever the other side does is in the transcript; an error means that nothing could be tried
// because of us.
func (p *Prober) Probe(ctx context.Context, t Target, gate Gate) (*wire.Transcript, error) {
	u, err := p.check(t)
	if err != nil {
		return nil, err
	}
	limits := p.Limits.orDefaults()
	now := p.Now
	if now == nil {
		now = time.Now
	}
	started := now()
	transcript := &wire.Transcript{
		Target: t.Key, Declared: t.Declared, Purpose: t.Purpose, Visit: max(t.Visit, 1), UnknownTool: UnknownToolName(t.Key), Started: started,
	}
	if transcript.Purpose == "" {
		transcript.Purpose = wire.Main
	}
	recorder := exchange.New(exchange.Config{
		Dialer:  &dial.Dialer{Policy: dial.PolicyFor(u, p.AllowPrivate), Resolver: p.Resolver, Timeout: limits.Connect},
		RootCAs: p.RootCAs, UserAgent: p.UserAgent, Gate: gate, Now: now, Limits: limits.ofExchange(),
	})
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Deadline, exchange.ErrDeadline)
	defer cancel()
	v := &visit{
		prober: p, limits: limits, target: t, url: u, recorder: recorder, unknown: transcript.UnknownTool,
		tries: map[attempt]int{}, ended: wire.EndedDone,
	}
	v.run(ctx)
	v.leave(ctx)
	v.noteContext(ctx)
	transcript.Exchanges = recorder.Close()
	transcript.Ended, transcript.RetryAfter = v.ended, v.pause
	// By the monotonic clock, if there is one: the clock of the wall can be set back in the middle.
	transcript.Finished = started.Add(max(0, now().Sub(started)))
	return transcript, nil
}

// check returns the URL of a target that can be visited.
func (p *Prober) check(t Target) (*url.URL, error) {
	if p.Resolver == nil || p.UserAgent == "" || p.Name == "" {
		return nil, errors.New("set Resolver, UserAgent and Name of the prober before it visits anybody")
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, fmt.Errorf("target %q: not a URL", t.Key) // the text may hold a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("target %q: only http and https URLs with a host can be visited", t.Key)
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return nil, fmt.Errorf("target %q: port %s does not exist", t.Key, port)
		}
	}
	for _, c := range t.Calls {
		if _, _, err := wire.ReadObject(c.Arguments); len(c.Arguments) > 0 && err != nil {
			return nil, fmt.Errorf("target %q: give the arguments of the call of %q as a JSON object: %w", t.Key, c.Tool, err)
		}
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, nil
}

// sleep waits for d or until ctx ends.
func (p *Prober) sleep(ctx context.Context, d time.Duration) error {
	if p.Sleep != nil {
		return p.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
