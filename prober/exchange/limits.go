package exchange

import (
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Limits bound one request.
type Limits struct {
	Step    time.Duration // from sending a request to the end of its response
	Connect time.Duration // connecting, and again the TLS handshake
	Header  time.Duration // from the end of the request to the response header
	// Linger is how long a response may go on once the answer is there. Most end at once, which lets the connection be
	// used again; the others are left open by the server, and closed by us.
	Linger time.Duration
	// Pause is the longest pause that a server may ask for within a visit: after a longer one nothing is sent.
	Pause time.Duration
	Body  int64 // bytes kept of one response, as received and again when decoded
	Probe int64 // bytes kept of all responses of a probe
}

// Defaults returns the limits of the census.
func Defaults() Limits {
	return Limits{
		Step:    15 * time.Second,
		Connect: 5 * time.Second,
		Header:  10 * time.Second,
		Linger:  500 * time.Millisecond,
		Pause:   10 * time.Second,
		Body:    wire.MaxBody,
		Probe:   16 << 20,
	}
}

// OrDefaults replaces members that are zero by those of Defaults.
func (l Limits) OrDefaults() Limits {
	d := Defaults()
	for _, pair := range []struct{ is, or *time.Duration }{
		{&l.Step, &d.Step}, {&l.Connect, &d.Connect}, {&l.Header, &d.Header}, {&l.Linger, &d.Linger},
		{&l.Pause, &d.Pause},
	} {
		if *pair.is == 0 {
			*pair.is = *pair.or
		}
	}
	if l.Body == 0 {
		l.Body = d.Body
	}
	if l.Probe == 0 {
		l.Probe = d.Probe
	}
	return l
}

// leastBody is what every response may have when the allowance of the probe is spent: enough for an error.
const leastBody = 64 << 10
