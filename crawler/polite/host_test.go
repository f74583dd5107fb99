package polite

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestHostGap(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	begin := clock.Now()
	h := NewHost(clock, 0)
	if !h.NextStart().IsZero() {
		t.Errorf("next start %v before the first", h.NextStart())
	}
	wait(t, h)
	if !clock.Now().Equal(begin) {
		t.Error("the first request had to wait")
	}
	if !h.NextStart().Equal(begin.Add(Gap)) {
		t.Errorf("next start %v", h.NextStart())
	}
	clock.pass(200 * time.Millisecond) // the request takes this long
	wait(t, h)
	if got := clock.Now().Sub(begin); got != Gap {
		t.Errorf("second start after %v, want %v", got, Gap)
	}
	clock.pass(time.Second) // a slow request: the gap counts from its start
	wait(t, h)
	if got := clock.Now().Sub(begin); got != Gap+time.Second {
		t.Errorf("third start after %v", got)
	}
}

func wait(t *testing.T, h *Host) {
	t.Helper()
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestHostObserve(t *testing.T) {
	t.Parallel()
	type seen struct {
		status int
		asked  time.Duration
	}
	for name, c := range map[string]struct {
		seen []seen
		want time.Duration // from the first start to the next
	}{
		"ok":                      {[]seen{{200, 0}}, time.Second},
		"no response":             {[]seen{{0, 0}}, time.Second},
		"server error":            {[]seen{{500, 0}}, time.Second},
		"429 with a pause":        {[]seen{{429, time.Minute}}, time.Minute},
		"503 with a pause":        {[]seen{{503, time.Minute}}, time.Minute},
		"a pause in a 200":        {[]seen{{200, time.Minute}}, time.Minute},
		"shorter than the gap":    {[]seen{{429, time.Millisecond}}, time.Second},
		"429 alone":               {[]seen{{429, 0}}, 2 * time.Second},
		"two in a row":            {[]seen{{429, 0}, {503, 0}}, 4 * time.Second},
		"two with a failure":      {[]seen{{429, 0}, {0, 0}, {503, 0}}, 4 * time.Second},
		"success in between":      {[]seen{{429, 0}, {429, 0}, {429, 0}, {200, 0}, {429, 0}}, 8 * time.Second},
		"many":                    {slices.Repeat([]seen{{429, 0}}, 100), 16 * time.Second},
		"later pause not shorter": {[]seen{{429, time.Hour}, {429, time.Second}, {200, 0}}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newFakeClock()
			begin := clock.Now()
			h := NewHost(clock, time.Second)
			wait(t, h)
			for _, s := range c.seen {
				h.Observe(s.status, s.asked)
			}
			wait(t, h)
			if got := clock.Now().Sub(begin); got != c.want {
				t.Errorf("next start after %v, want %v", got, c.want)
			}
		})
	}
}

func TestHostPutOffWhileWaiting(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	begin := clock.Now()
	h := NewHost(clock, time.Second)
	wait(t, h)
	var once sync.Once
	clock.before = func() { once.Do(func() { h.Observe(429, 10*time.Second) }) }
	wait(t, h)
	if got := clock.Now().Sub(begin); got != 10*time.Second {
		t.Errorf("start after %v, want 10s", got)
	}
}

func TestHostManyWaiters(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	begin := clock.Now()
	h := NewHost(clock, time.Second)
	var waiters sync.WaitGroup
	for range 20 {
		waiters.Go(func() {
			if err := h.Wait(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	waiters.Wait()
	if got := h.NextStart().Sub(begin); got != 20*time.Second {
		t.Errorf("20 starts took %v, want 20s", got)
	}
}

func TestHostContext(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	h := NewHost(clock, time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	wait(t, h)
	next := h.NextStart()
	clock.before = cancel // while waiting
	if err := h.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	clock.pass(time.Hour)
	if err := h.Wait(ctx); !errors.Is(err, context.Canceled) { // before waiting
		t.Errorf("error %v", err)
	}
	if !h.NextStart().Equal(next) {
		t.Error("a start was counted for a request that was not sent")
	}
}

func TestRealClock(t *testing.T) {
	t.Parallel()
	clock := RealClock()
	before := clock.Now()
	if err := clock.Sleep(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
	if clock.Now().Sub(before) < time.Microsecond {
		t.Error("woke up early")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, d := range []time.Duration{0, time.Hour} {
		if err := clock.Sleep(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("sleep of %v: error %v", d, err)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	b := NewBudget()
	take := func(page, want int) {
		t.Helper()
		got := 0
		for b.Reserve(page) {
			got++
		}
		if got != want {
			t.Errorf("%d requests for page %d, want %d", got, page, want)
		}
	}
	take(2, 126) // two lists of 64 pages, their first ones apart
	if !b.Reserve(1) || !b.Reserve(0) {
		t.Error("further pages were taken from the base")
	}
	take(0, 14)
	if b.Reserve(1) || b.Reserve(64) {
		t.Error("more than the budget")
	}
	if b.Used() != 16+126 {
		t.Errorf("used %d", b.Used())
	}
}
