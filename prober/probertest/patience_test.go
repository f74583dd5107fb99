package probertest

import "time"

// patience is how long a test looks at a server that says nothing. Nothing is asserted of it: a longer wait gives the
// same result.
const patience = 300 * time.Millisecond

func afterPatience(f func()) (stop func()) {
	timer := time.AfterFunc(patience, f)
	return func() { timer.Stop() }
}

func tick() <-chan time.Time { return time.After(time.Millisecond) }
