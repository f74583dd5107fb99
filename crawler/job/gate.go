package job

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/prober"
)

// gate lets the requests of one visit pass: paced for the host, counted against the budget of the endpoint.
type gate struct {
	host   *polite.Host
	budget *polite.Budget
	extra  int // allowed calls, which the operator of the census pays for on top of the budget
	sent   int
}

// Wait returns when a request may be sent. page is the page of a tools list, from 1, and 0 for other requests.
func (g *gate) Wait(ctx context.Context, page int) error {
	if !g.budget.Reserve(page) {
		if g.extra == 0 {
			return fmt.Errorf("%w after %d requests", prober.ErrBudget, g.sent)
		}
		g.extra--
	}
	if err := g.host.Wait(ctx); err != nil {
		return err
	}
	g.sent++
	return nil
}

// Observe passes on what came back, with the pause that the server asked for.
func (g *gate) Observe(status int, asked time.Duration) { g.host.Observe(status, pauseOf(asked)) }

// pauseOf is the pause that is kept when a server asks for one: clamped, and a little longer by chance.
func pauseOf(asked time.Duration) time.Duration {
	if asked <= 0 {
		return 0
	}
	pause, _ := polite.Pause(asked, rand.Float64)
	return pause
}

// reservation is how many requests a visit may send at the most: what the ledger holds for it until it is settled.
func reservation(calls int) int {
	return polite.BaseRequests + 2*(polite.MaxPages-1) + calls
}
