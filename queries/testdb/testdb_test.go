package testdb

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/migrations"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestSchemaIsMigratedAndPrivate(t *testing.T) {
	t.Parallel()
	a, b := Schema(t), Schema(t)
	states, err := migrations.Status(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		if s.Condition != migrations.Applied {
			t.Errorf("%s is %s", s.Name, s.Condition)
		}
	}
	if _, err := a.Exec(t.Context(), "create table only_here ()"); err != nil {
		t.Fatal(err)
	}
	var there bool
	if err := b.QueryRow(t.Context(), "select to_regclass('only_here') is not null").Scan(&there); err != nil || there {
		t.Errorf("two tests share a database (%v)", err)
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("a test", func(t *testing.T) {
		pool := Schema(t)
		if err := pool.QueryRow(t.Context(), "select current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
	})
	if name == "" {
		t.Skip("needs Postgres")
	}
	pool := Open(t, Empty(t))
	var exists bool
	if err := pool.QueryRow(t.Context(), "select exists (select from pg_database where datname = $1)", name).Scan(&exists); err != nil || exists {
		t.Errorf("%s stays after its test (%v)", name, err)
	}
}

// connect returns a connection of its own to the test server, and the address of that.
func connect(t *testing.T) (admin *pgx.Conn, server string) {
	t.Helper()
	Empty(t) // skips where there is no server
	server, release, err := serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	if admin, err = pgx.Connect(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close(context.Background()) })
	return admin, server
}

func TestBuildFailsThenWorks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	admin, server := connect(t)
	broken := errors.New("broken")
	works := false
	template := Template{Key: t.Name() + rand.Text(), Build: func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "create table made ()"); err != nil || !works {
			return errors.Join(broken, err)
		}
		return nil
	}}
	if name, err := create(ctx, admin, template, server); !errors.Is(err, broken) {
		t.Errorf("create = %q, %v", name, err)
	}
	works = true
	name, err := create(ctx, admin, template, server)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, within(server, name))
	if err != nil {
		t.Fatal(err)
	}
	var made bool
	if err := conn.QueryRow(ctx, "select to_regclass('made') is not null").Scan(&made); err != nil || !made {
		t.Errorf("copied %v, %v", made, err)
	}
	if err := errors.Join(conn.Close(ctx), drop(ctx, admin, name)); err != nil {
		t.Error(err)
	}
}

func TestSweepDropsOnlyWhatNobodyUses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	used := Open(t, Empty(t))
	admin, _ := connect(t)
	scope, err := scope(ctx, admin)
	if err != nil {
		t.Fatal(err)
	}
	left := scope + "_test_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "create database "+left); err != nil {
		t.Fatal(err)
	}
	if err := sweep(ctx, admin, scope); err != nil {
		t.Fatal(err)
	}
	var exists bool
	if err := used.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", left).Scan(&exists); err != nil || exists {
		t.Errorf("the database of a killed test stays (%v)", err)
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"postgres://u@/old?host=%2Frun&port=5432": "postgres://u@/new?host=%2Frun&port=5432",
		"postgresql://u:p@h:1/old":                "postgresql://u:p@h:1/new",
		"host=/run user=u":                        "host=/run user=u dbname=new",
	} {
		if got := within(server, "new"); got != want {
			t.Errorf("within(%q) = %q, want %q", server, got, want)
		}
	}
}

func TestMakeOwn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs unix permissions")
	}
	dir := filepath.Join(t.TempDir(), "own")
	for range 2 {
		if err := makeOwn(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := makeOwn(dir); err == nil {
		t.Error("a directory that everybody may write to is taken")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := makeOwn(link); err == nil {
		t.Error("a symbolic link is taken")
	}
}
