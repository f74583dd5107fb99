package exchange

import (
	"context"
	"errors"
	"time"
)

// ErrBudget means that the request budget of the endpoint is spent. A Gate returns an error that wraps it.
var ErrBudget = errors.New("the request budget of the endpoint is spent")

// ErrPause means that the server asked for a longer pause than a visit may last: nothing more is sent in this one.
var ErrPause = errors.New("the server asked for a longer pause than a visit may last")

// ErrDeadline is the cause of the context of a probe whose deadline has passed.
var ErrDeadline = errors.New("the deadline of the probe has passed")

// DefaultPause is kept when a server is busy by [RateLimited] and does not say for how long.
const DefaultPause = 2 * time.Second

// Gate paces the requests to a host and counts them. It is where a pause that a server asked for is waited for.
type Gate interface {
	// Wait returns when a request may be sent; it is called before every HTTP request. page is the page of a tools/list,
	// from 1, and 0 for everything else. An error that wraps ErrBudget ends the visit.
	Wait(ctx context.Context, page int) error
	// Observe is called once for every request that was sent: with its status (0 when no response came) and the pause
	// that the server asked for (0 when it asked for none), whatever the status. The next Wait lasts at least that long.
	Observe(status int, retryAfter time.Duration)
}

// OpenGate is a gate that lets everything pass at once.
type OpenGate struct{}

// Wait returns at once.
func (OpenGate) Wait(context.Context, int) error { return nil }

// Observe does nothing.
func (OpenGate) Observe(int, time.Duration) {}
