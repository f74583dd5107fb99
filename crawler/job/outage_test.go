package job

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

// A database that drops every session in the middle of a stage, locks included, costs the run nothing but time.
func TestDroppedSessions(t *testing.T) {
	t.Parallel()
	w := world.New(7, 40)
	w.Steady = true
	url := startWorld(t, w)
	pool := newPool(t)
	admin := testdb.Open(t, pool.Config().ConnString())
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	o := options(t, pool)
	run, err := NewRun(ctx, o, quick(url), GoalAll, false)
	if err != nil {
		t.Fatal(err)
	}
	var dropped atomic.Int64
	at := map[Stage]bool{}
	err = Drive(ctx, o, run, func(p Progress) {
		if at[p.Stage] || (p.Stage == Probe && p.Probed < 5) {
			return
		}
		at[p.Stage] = true
		var n int64
		if err := admin.QueryRow(ctx, `select count(pg_terminate_backend(pid)) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid()`).Scan(&n); err != nil {
			t.Error(err)
		}
		dropped.Add(n)
	})
	if err != nil {
		t.Fatal(err)
	}
	if dropped.Load() == 0 || !at[Probe] {
		t.Errorf("%d sessions were dropped, in stages %v", dropped.Load(), at)
	}
	compareWithTruth(t, pool, run, w.Truth())
	var doubled int
	if err := pool.QueryRow(ctx, `select count(*) - count(distinct target_id) from probe where run_id = $1`, run).Scan(&doubled); err != nil || doubled != 0 {
		t.Errorf("%d visits are doubled (%v)", doubled, err)
	}
}
