package prober

import (
	"time"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
)

// Limits bound a visit. A zero member stands for that of DefaultLimits.
type Limits struct {
	Deadline   time.Duration // the whole visit
	Step       time.Duration // one request, from sending it to the end of its response
	Connect    time.Duration // connecting, and again the TLS handshake
	Header     time.Duration // from the end of a request to the response header
	Linger     time.Duration // how long a response may go on behind the answer
	Listen     time.Duration // on a GET stream, for an answer that the POST did not bring
	Pause      time.Duration // the longest pause that a server may ask for within a visit
	Pages      int           // of one tools/list
	Tools      int           // distinct names in one list
	BodyBytes  int64         // kept of one response
	ProbeBytes int64         // kept of all responses
}

// DefaultLimits returns the limits of the census.
func DefaultLimits() Limits {
	x := exchange.Defaults()
	return Limits{
		Deadline: 60 * time.Second, Step: x.Step, Connect: x.Connect, Header: x.Header, Linger: x.Linger,
		Listen: 5 * time.Second, Pause: x.Pause, Pages: 64, Tools: 5000, BodyBytes: x.Body, ProbeBytes: x.Probe,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	for _, m := range []struct{ is, or *time.Duration }{
		{&l.Deadline, &d.Deadline}, {&l.Step, &d.Step}, {&l.Connect, &d.Connect}, {&l.Header, &d.Header},
		{&l.Linger, &d.Linger}, {&l.Listen, &d.Listen}, {&l.Pause, &d.Pause},
	} {
		if *m.is == 0 {
			*m.is = *m.or
		}
	}
	if l.Pages == 0 {
		l.Pages = d.Pages
	}
	if l.Tools == 0 {
		l.Tools = d.Tools
	}
	if l.BodyBytes == 0 {
		l.BodyBytes = d.BodyBytes
	}
	if l.ProbeBytes == 0 {
		l.ProbeBytes = d.ProbeBytes
	}
	return l
}

func (l Limits) ofExchange() exchange.Limits {
	return exchange.Limits{
		Step: l.Step, Connect: l.Connect, Header: l.Header, Linger: l.Linger, Pause: l.Pause, Body: l.BodyBytes, Probe: l.ProbeBytes,
	}
}
