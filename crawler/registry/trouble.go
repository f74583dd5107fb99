package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// The backoff: 5 s, 10 s, 20 s … up to 5 min, each shortened by chance by up to a half.
const (
	firstWait   = 5 * time.Second
	longestWait = 5 * time.Minute
)

// Trouble is how often and how long something has been failing without a break. It is part of the stored state, so
// that a process that takes over waits on instead of starting to knock anew.
type Trouble struct {
	Failures  int           `json:"failures,omitempty"`
	Waited    time.Duration `json:"waited,omitempty"` // nanoseconds
	NotBefore time.Time     `json:"not_before,omitzero"`
}

// StopReason is why a walk ended before the last page.
type StopReason string

// The reasons.
const (
	StopBudget  StopReason = "budget"  // it kept failing for as long as it may
	StopRefused StopReason = "refused" // the very first request was refused: probably the wrong address
	StopLoop    StopReason = "loop"    // the cursors run in circles
	StopGap     StopReason = "gap"     // a row that the registry cannot serve, at any limit
	StopCursor  StopReason = "cursor"  // a cursor that cannot be sent or stored
)

// Stopped is the error of a walk that ended before the last page. Everything before is stored; the walk is incomplete.
type Stopped struct { //nolint:errname // an outcome of the walk with a place to go on from, before it is an error
	Reason     StopReason
	Cursor     string        // of the page that could not be read
	RetryAfter time.Duration // the wait that the registry asked for; 0 when it did not
	Err        error         // the last failure
}

// Error says why, and what to do.
func (s *Stopped) Error() string {
	switch s.Reason {
	case StopBudget:
		return fmt.Sprintf("the registry kept failing (%v); what was read is stored, so resume later", s.Err)
	case StopRefused:
		return fmt.Sprintf("the registry cannot be read: %v; check its base URL", s.Err)
	case StopLoop:
		return fmt.Sprintf("the cursors of the registry run in circles at %q; report it to the registry and resume when it is mended", s.Cursor)
	case StopGap:
		return fmt.Sprintf("the registry cannot serve the row behind cursor %q (%v); resume when it is mended, or give a cursor behind it to jump to", s.Cursor, s.Err)
	}
	return fmt.Sprintf("the registry gave a cursor that cannot be used behind %q: %v", s.Cursor, s.Err)
}

// Unwrap returns the last failure.
func (s *Stopped) Unwrap() error { return s.Err }

// Resumable says whether the same call can go on later from the stored state without anybody having to decide
// something.
func (s *Stopped) Resumable() bool { return s.Reason == StopBudget }

// pause waits until the next try is due.
func (c *Client) pause(ctx context.Context, t Trouble) error {
	if t.NotBefore.IsZero() {
		return ctx.Err()
	}
	return c.o.Clock.Sleep(ctx, max(0, t.NotBefore.Sub(c.o.Clock.Now())))
}

// worse returns the trouble after one more failure. When the budget does not last for the next wait, it returns the
// error to stop with and no trouble: who resumes gets the whole budget again.
func (c *Client) worse(t Trouble, fault *Fault, cursor string) (Trouble, *Stopped) {
	wait := firstWait << min(t.Failures, 10)
	wait = c.shorten(min(wait, longestWait))
	return c.wait(t, max(wait, fault.RetryAfter), fault, cursor)
}

func (c *Client) wait(t Trouble, wait time.Duration, fault *Fault, cursor string) (Trouble, *Stopped) {
	if wait > c.o.Budget-t.Waited {
		return Trouble{}, &Stopped{Reason: StopBudget, Cursor: cursor, RetryAfter: fault.RetryAfter, Err: fault}
	}
	return Trouble{Failures: t.Failures + 1, Waited: t.Waited + wait, NotBefore: c.o.Clock.Now().Add(wait)}, nil
}

// shorten takes off up to a half by chance, so that many readers do not come back at the same moment.
func (c *Client) shorten(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return d - time.Duration(c.jitter.Int64N(int64(d/2)+1))
}

// refusal says whether an answer means that asking again is pointless: a client error other than "later", or a fault
// that everything else is spared.
func refusal(f *Fault) bool {
	if f.final {
		return true
	}
	switch f.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return f.Status/100 == 3 || f.Status/100 == 4
}

// steadily asks for one list until it is answered or refused. A row that the registry cannot decode makes the list with
// it a 500 for ever, so it is given up when other lists are served meanwhile. Save stores the trouble before each wait.
func (c *Client) steadily(ctx context.Context, class rateClass, path string, t *Trouble, save func() error) (Page, PageContent, error) {
	for attempts := 1; ; attempts++ {
		if err := c.pause(ctx, *t); err != nil {
			return Page{}, PageContent{}, err
		}
		r, content, fault := c.page(ctx, class, path)
		if err := interrupted(ctx, fault); err != nil {
			return Page{}, PageContent{}, err
		}
		if fault == nil {
			*t = Trouble{}
			return Page{Response: r, Limit: pageLimit, Attempts: attempts}, content, nil
		}
		if fault.Status == http.StatusInternalServerError && t.Failures+1 >= suspectAfter {
			fault.final = c.serves(ctx, Query{}, State{Poison: t.Failures})
		}
		if err := ctx.Err(); err != nil {
			return Page{}, PageContent{}, err
		}
		if refusal(fault) {
			*t = Trouble{}
			return Page{}, PageContent{}, fault
		}
		worse, stop := c.worse(*t, fault, "")
		*t = worse
		if err := save(); err != nil {
			return Page{}, PageContent{}, err
		}
		if stop != nil {
			return Page{}, PageContent{}, stop
		}
	}
}

// refused tells an answer that asking again would not change.
func refused(err error) bool {
	var fault *Fault
	return errors.As(err, &fault) && refusal(fault)
}
