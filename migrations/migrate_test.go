package migrations_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/migrations"
	"github.com/mcpcensus/mcpcensus/queries/embedded"
	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

var update = flag.Bool("update", false, "rewrite schema.sql")

// dumpMajor is the version of pg_dump that wrote schema.sql; others lay it out differently.
const dumpMajor = 15

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

func names(t *testing.T) []string {
	t.Helper()
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

func TestUp(t *testing.T) {
	t.Parallel()
	pool := testdb.Open(t, testdb.Empty(t))
	before, err := migrations.Status(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range before {
		if s.Condition != migrations.Pending || !s.AppliedAt.IsZero() {
			t.Errorf("%s is %s at %v in an empty database", s.Name, s.Condition, s.AppliedAt)
		}
	}
	applied, err := migrations.Up(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names(t), applied); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
	if again, err := migrations.Up(t.Context(), pool); err != nil || again != nil {
		t.Errorf("a second time: %q, %v", again, err)
	}
	after, err := migrations.Status(t.Context(), pool)
	if err != nil || len(after) != len(applied) {
		t.Fatalf("%d states, %v", len(after), err)
	}
	for _, s := range after {
		if s.Condition != migrations.Applied || s.AppliedAt.IsZero() {
			t.Errorf("%s is %s at %v", s.Name, s.Condition, s.AppliedAt)
		}
	}
}

func TestUpOnOneConnection(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), testdb.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if applied, err := migrations.Up(t.Context(), conn); err != nil || len(applied) != len(names(t)) {
		t.Errorf("applied %q, %v", applied, err)
	}
}

func TestUpAtTheSameTime(t *testing.T) {
	t.Parallel()
	pool := testdb.Open(t, testdb.Empty(t))
	var group sync.WaitGroup
	var lock sync.Mutex
	var all []string
	for range 3 {
		group.Go(func() {
			applied, err := migrations.Up(t.Context(), pool)
			if err != nil {
				t.Error(err)
			}
			lock.Lock()
			defer lock.Unlock()
			all = append(all, applied...)
		})
	}
	group.Wait()
	if len(all) != len(names(t)) {
		t.Errorf("applied %q", all)
	}
}

// Every table and column says what it holds.
func TestComments(t *testing.T) {
	t.Parallel()
	pool := testdb.Schema(t)
	rows, err := pool.Query(t.Context(), `
		select c.relname || coalesce('.' || a.attname, '')
		from pg_class c
		left join lateral (
			select null::smallint as attnum, null::name as attname
			union all
			select attnum, attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
		) a on true
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
			and coalesce(case when a.attnum is null then obj_description(c.oid, 'pg_class') else col_description(c.oid, a.attnum) end, '') = ''
		order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(silent) > 0 {
		t.Errorf("no COMMENT ON %s", strings.Join(silent, ", "))
	}
}

func TestSchemaDump(t *testing.T) {
	t.Parallel()
	pool := testdb.Schema(t)
	bin, err := embedded.FindMajor(dumpMajor)
	if err != nil {
		t.Skipf("needs the pg_dump that wrote schema.sql: %v", err)
	}
	pgdump, err := exec.LookPath(bin.Path("pg_dump"))
	if err != nil {
		t.Skipf("needs the pg_dump that wrote schema.sql: %v", err)
	}
	var server int
	if err := pool.QueryRow(t.Context(), "select current_setting('server_version_num')::int / 10000").Scan(&server); err != nil {
		t.Fatal(err)
	}
	if server != dumpMajor {
		t.Skipf("schema.sql is of PostgreSQL %d, the server is %d", dumpMajor, server)
	}
	got, err := migrations.Dump(t.Context(), pool.Config().ConnString(), pgdump)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := migrations.Dump(t.Context(), pool.Config().ConnString(), pgdump); err != nil || !bytes.Equal(got, again) {
		t.Errorf("two dumps differ (%v):\n%s", err, cmp.Diff(string(got), string(again)))
	}
	if *update {
		if err := os.WriteFile("schema.sql", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatalf("run go test ./migrations -run TestSchemaDump -update: %v", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("schema.sql is not the schema of the migrations; run go test ./migrations -run TestSchemaDump -update (-file +migrations):\n%s", diff)
	}
}

func TestUpFailures(t *testing.T) {
	t.Parallel()
	migrations.UpFailures(t, testdb.Open(t, testdb.Empty(t)))
}
