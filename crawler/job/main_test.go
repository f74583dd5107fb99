package job

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// newPool returns a pool on a new database with all tables, those of the queue included.
func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := testdb.Schema(t)
	if _, err := Migrate(context.Background(), pool); err != nil {
		t.Fatal(err)
	}
	return pool
}

// options are those of a test: our own faults go to the log of the test.
func options(t *testing.T, pool *pgxpool.Pool) Options {
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return Options{Pool: pool, Program: "test", Log: log}
}

// quick are settings for worlds of our own on loopback.
func quick(registryURL string) Settings {
	s := DefaultSettings()
	s.RegistryURL, s.AllowPrivate, s.RegistryRate, s.Gap, s.SpotChecks = registryURL, true, 1000, quickGap, 20
	return s
}
