package polite

import (
	"math"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked    time.Duration
		random   float64
		want     time.Duration
		deferred bool
	}{
		{0, 0.5, 0, false},
		{-time.Second, 0.5, 0, false},
		{8 * time.Second, 0, 8 * time.Second, false},
		{8 * time.Second, 0.5, 9 * time.Second, false},
		{MaxPause, 0, MaxPause, false},
		{MaxPause + 1, 0, MaxPause, true},
		{math.MaxInt64, 0.5, MaxPause + MaxPause/8, true},
	} {
		got, deferred := Pause(c.asked, func() float64 { return c.random })
		if got != c.want || deferred != c.deferred {
			t.Errorf("%v with %v: %v, %v; want %v, %v", c.asked, c.random, got, deferred, c.want, c.deferred)
		}
	}
}

func FuzzPause(f *testing.F) {
	for _, seed := range []int64{-1, 0, int64(time.Second), int64(MaxPause), int64(MaxPause) + 1, math.MaxInt64} {
		f.Add(seed, 0.5)
	}
	f.Fuzz(func(t *testing.T, nanoseconds int64, random float64) {
		if in := random >= 0 && random < 1; !in {
			return
		}
		asked := time.Duration(nanoseconds)
		pause, deferred := Pause(asked, func() float64 { return random })
		if pause < asked && !deferred {
			t.Errorf("pause %v is shorter than the %v asked", pause, asked)
		}
		if pause < 0 || pause > MaxPause+MaxPause/4 {
			t.Errorf("pause %v is negative or beyond the cap", pause)
		}
	})
}
