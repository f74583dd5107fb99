package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/queries"
)

// ErrNoRun means that there is no run of that id, or none at all.
var ErrNoRun = errors.New("no such run")

// Latest is accepted wherever a run id is. It ignores demos unless there is nothing else.
const Latest = "latest"

const demoPrefix = "demo-"

// Resolve turns what a person typed into the id of a run that exists.
func Resolve(ctx context.Context, pool *pgxpool.Pool, id string) (string, error) {
	q := queries.New(pool)
	if id == "" || id == Latest {
		latest, err := q.LatestRun(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			return "", fmt.Errorf("%w: there is none yet; start one with `mcpcensus run`, or try `mcpcensus demo`", ErrNoRun)
		}
		if err != nil {
			return "", fmt.Errorf("find the latest run: %w", err)
		}
		return latest, nil
	}
	_, err := q.GetRun(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("%w as %q: `mcpcensus db status` lists them", ErrNoRun, id)
	}
	if err != nil {
		return "", fmt.Errorf("find run %s: %w", id, err)
	}
	return id, nil
}

// LatestWalked returns the newest run of this registry whose rows another run can begin with.
func LatestWalked(ctx context.Context, pool *pgxpool.Pool, registryURL string) (string, error) {
	id, err := queries.New(pool).LatestWalked(ctx, registryURL)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("%w that has walked %s to the end: the first run must read all of it", ErrNoRun, registryURL)
	}
	if err != nil {
		return "", fmt.Errorf("find the latest walk: %w", err)
	}
	return id, nil
}

// Begin returns the unfinished run of this registry, and that it was there already, or else enters a new one. Two
// programs that begin at the same moment get the same run.
func Begin(ctx context.Context, o Options, s Settings, goal Goal) (run string, resumed bool, err error) {
	err = pgx.BeginFunc(ctx, o.Pool, func(tx pgx.Tx) error {
		q := queries.New(tx)
		if err := q.TransactionLock(ctx, runIDs); err != nil {
			return err
		}
		run, err = q.UnfinishedRun(ctx, s.RegistryURL)
		if resumed = err == nil; resumed || !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		run, err = enterRun(ctx, tx, o.withDefaults(), s, goal, false)
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("begin a run: %w", err)
	}
	return run, resumed, nil
}

// NewRun enters a run that starts now, with its partitions. Its id is the date; the second of a day gets .2.
func NewRun(ctx context.Context, o Options, s Settings, goal Goal, demo bool) (run string, err error) {
	err = pgx.BeginFunc(ctx, o.Pool, func(tx pgx.Tx) error {
		if err := queries.New(tx).TransactionLock(ctx, runIDs); err != nil {
			return err
		}
		run, err = enterRun(ctx, tx, o.withDefaults(), s, goal, demo)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("enter a new run: %w", err)
	}
	return run, nil
}

// runIDs is the lock under which ids are given out, one at a time.
const runIDs = "mcpcensus run ids"

func enterRun(ctx context.Context, tx pgx.Tx, o Options, s Settings, goal Goal, demo bool) (string, error) {
	now := o.Clock.Now().UTC()
	stored, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("write the settings: %w", err)
	}
	day := now.Format(time.DateOnly)
	if demo {
		day = demoPrefix + day
	}
	q := queries.New(tx)
	taken, err := q.RunIDsOfDay(ctx, day)
	if err != nil {
		return "", err
	}
	id := nextID(day, taken)
	err = q.CreateRun(ctx, queries.CreateRunParams{
		RunID: id, Goal: string(goal), RegistryUrl: s.RegistryURL, Settings: stored, Program: o.Program, StartedAt: now,
	})
	if err != nil {
		return "", err
	}
	return id, q.AddRunPartitions(ctx, id)
}

func nextID(day string, taken []string) string {
	if !slices.Contains(taken, day) {
		return day
	}
	highest := 1
	for _, id := range taken {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, day+".")); err == nil && n > highest {
			highest = n
		}
	}
	return fmt.Sprintf("%s.%d", day, highest+1)
}
