package polite

import (
	"context"
	"time"
)

// Clock tells the time and passes it.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or earlier with the error of the context.
	Sleep(ctx context.Context, d time.Duration) error
}

// RealClock returns the clock of this machine.
func RealClock() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
