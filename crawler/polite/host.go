package polite

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Gap is the usual time from the start of one request to a host to the start of the next.
const Gap = 500 * time.Millisecond

// maxSlowdown bounds the pause after refusals that name none.
const maxSlowdown = 16 * time.Second

// Host paces the requests to one host. Its owner calls Wait before each request and Observe after each response, and
// sends one request at a time; should several goroutines wait, they pass one after the other, a gap apart.
type Host struct {
	clock Clock
	gap   time.Duration
	turn  chan struct{} // held by the goroutine that waits for the next start

	mu       sync.Mutex
	next     time.Time
	refusals int // in a row, without a pause named
}

// NewHost returns the pacing of a host that was not visited yet. A gap of 0 or less stands for Gap.
func NewHost(clock Clock, gap time.Duration) *Host {
	if gap <= 0 {
		gap = Gap
	}
	return &Host{clock: clock, gap: gap, turn: make(chan struct{}, 1)}
}

// Wait returns when a request may start, and counts as that start. It returns the error of the context if that ends
// first; then no start was counted.
func (h *Host) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for { // Observe may put off the start while this sleeps
		wait := h.start()
		if wait <= 0 {
			return nil
		}
		if err := h.clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// start takes the next start if it has come, and otherwise returns how far away it is.
func (h *Host) start() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Now()
	if wait := h.next.Sub(now); wait > 0 {
		return wait
	}
	h.next = now.Add(h.gap)
	return 0
}

// Observe takes the HTTP status of a response (0 when there was none) and the pause that it asked for (see [Pause]; 0
// when it asked for none). The pause puts off the next start, whatever the status. A 429 or 503 without a pause puts it
// off by twice the gap, doubled with each further one in a row up to 16 s. A start is never drawn nearer.
func (h *Host) Observe(status int, retryAfter time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	refused := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	pause := retryAfter
	switch {
	case refused && retryAfter <= 0:
		h.refusals++
		pause = h.slowdown()
	case !refused && status != 0:
		h.refusals = 0
	}
	if start := h.clock.Now().Add(pause); pause > 0 && start.After(h.next) {
		h.next = start
	}
}

func (h *Host) slowdown() time.Duration {
	pause := h.gap
	for range h.refusals {
		if pause *= 2; pause >= maxSlowdown {
			return max(maxSlowdown, h.gap)
		}
	}
	return pause
}

// NextStart returns the earliest time at which the next request may start; the zero time before the first one.
func (h *Host) NextStart() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.next
}
