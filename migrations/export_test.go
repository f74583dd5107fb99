package migrations

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// UpFailures is run by a test outside the package, which may import testdb: testdb imports this package.
func UpFailures(t *testing.T, pool *pgxpool.Pool) {
	mustLoad := func(pairs ...string) []Migration {
		all, err := load(folder(pairs...))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	count := func() (n int) {
		if err := pool.QueryRow(t.Context(), "select count(*) from schema_migration").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	good := "create table a (x int);\ninsert into a values (1);\n"
	for _, tt := range []struct{ name, second, want string }{
		{"syntax", "create table b ();\n\nselekt 1;", "0002_b.sql: line 3: "},
		{"semantics", "create table b ();\nselect nothing from b;", "0002_b.sql: line 2: "},
		{"commits", "create table c ();\ncommit;", "0002_b.sql ends its transaction"},
	} {
		applied, err := up(t.Context(), pool, mustLoad("0001_a.sql", good, "0002_b.sql", tt.second))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, applied, err, tt.want)
		}
		if n := count(); n != 1 {
			t.Errorf("%s: %d migrations recorded, want the first alone", tt.name, n)
		}
		var left bool
		if err := pool.QueryRow(t.Context(), "select to_regclass('b') is not null").Scan(&left); err != nil || left {
			t.Errorf("%s: half a migration stays (%v)", tt.name, err)
		}
	}
	if _, err := up(t.Context(), pool, mustLoad("0001_a.sql", good+"-- changed")); err == nil || !strings.Contains(err.Error(), "is not the one") {
		t.Errorf("changed file: %v", err)
	}
	applied, err := up(t.Context(), pool, mustLoad("0001_a.sql", good, "0002_b.sql", "alter table a add y int;"))
	if err != nil || len(applied) != 1 || count() != 2 {
		t.Errorf("after the repair: %q, %v", applied, err)
	}
	if _, err := up(t.Context(), pool, mustLoad("0001_a.sql", good)); err == nil || !strings.Contains(err.Error(), "does not know") {
		t.Errorf("older program: %v", err)
	}
}
