package job

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries"
)

// realRows reads rows of the official registry as it stood on 2025-12-07.
func realRows(t *testing.T) []world.Row {
	t.Helper()
	const name = "registry-rows-2025-12-07.jsonl.gz"
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	shared := os.Getenv("MCPCENSUS_SHARED")
	for ; shared == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if candidate := filepath.Join(dir, "shared"); exists(filepath.Join(candidate, "data", name)) {
			shared = candidate
		}
	}
	f, err := os.Open(filepath.Join(shared, "data", name))
	if err != nil {
		t.Skipf("the real rows are not on this machine (set MCPCENSUS_SHARED to the folder that holds data/%s): %v", name, err)
	}
	defer func() { _ = f.Close() }() // only read
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := world.ReadRows(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// crawl makes the frame of a registry without visiting anybody.
func crawl(t *testing.T, o Options, s Settings) string {
	t.Helper()
	ctx := context.Background()
	run, err := NewRun(ctx, o, s, GoalFrame, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := Drive(ctx, o, run, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	return run
}

// Every one of 1,160 real rows is parsed, and every remote and package that they declare is in the frame.
func TestFrameOfRealRows(t *testing.T) {
	t.Parallel()
	rows := realRows(t)
	registry := httptest.NewServer(world.NewRegistry(rows))
	t.Cleanup(registry.Close)
	pool := newPool(t)
	s := quick(registry.URL)
	s.AllowPrivate = false
	run := crawl(t, options(t, pool), s)

	remotes, packages := 0, 0
	for _, r := range rows {
		var server struct{ Remotes, Packages []json.RawMessage }
		if err := json.Unmarshal(r.Server, &server); err != nil {
			t.Fatal(err)
		}
		remotes += len(server.Remotes)
		packages += len(server.Packages)
	}
	var gotRows, bad, gotRemotes, gotPackages, framed int
	err := pool.QueryRow(context.Background(), `select
		(select count(*) from row where run_id = $1), (select count(*) from bad_row where run_id = $1),
		(select count(*) from declaration where run_id = $1 and kind = 'remote'),
		(select count(*) from declaration where run_id = $1 and kind = 'package'),
		(select count(distinct (name, version, position)) from target_declaration join target using (run_id, target_id) where run_id = $1)`, run).
		Scan(&gotRows, &bad, &gotRemotes, &gotPackages, &framed)
	if err != nil {
		t.Fatal(err)
	}
	if gotRows != len(rows) || bad != 0 || gotRemotes != remotes || gotPackages != packages || framed != remotes {
		t.Errorf("%d rows, %d bad, %d remotes (%d framed), %d packages; want %d, 0, %d, %d", gotRows, bad, gotRemotes, framed, gotPackages, len(rows), remotes, packages)
	}
	r, err := Report(context.Background(), pool, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows of %d names, %d remotes, %d packages, %d targets, %d eligible, proof %v", r.Walk.Rows, r.Walk.Names, gotRemotes, gotPackages,
		r.Frame.Targets, r.Frame.Eligible, r.Walk.Unproven)
}

// A run that begins with the rows of an earlier one reads only what changed, and ends with the same rows as a full walk.
func TestIncrementalRun(t *testing.T) {
	t.Parallel()
	document := func(name, version, url string) []byte {
		return fmt.Appendf(nil, `{"name":%q,"version":%q,"remotes":[{"type":"streamable-http","url":%q}]}`, name, version, url)
	}
	fake := world.NewRegistry(nil)
	for i := range 230 {
		fake.Publish(fmt.Sprintf("org.example/n%03d", i), "1.0.0", document(fmt.Sprintf("org.example/n%03d", i), "1.0.0", "https://{x}.example.com/mcp"))
	}
	registry := httptest.NewServer(fake)
	t.Cleanup(registry.Close)
	pool := newPool(t)
	o := options(t, pool)
	s := quick(registry.URL)
	s.CloseOverlap = 0
	base := crawl(t, o, s)

	fake.Publish("org.example/new", "1.0.0", document("org.example/new", "1.0.0", "https://{x}.example.com/mcp"))
	fake.Publish("org.example/n001", "2.0.0", document("org.example/n001", "2.0.0", "https://{x}.example.com/mcp"))
	fake.SetStatus("org.example/n002", "1.0.0", world.Deleted, "")
	s.Base = base
	run := crawl(t, o, s)
	full := s
	full.Base = ""
	wanted := crawl(t, o, full)

	ctx := context.Background()
	q := queries.New(pool)
	got, err := q.CountRows(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	want, err := q.CountRows(ctx, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if got != want || got.Rows != 232 || got.Deleted != 1 {
		t.Errorf("incremental %+v, full %+v", got, want)
	}
	var differ int
	err = pool.QueryRow(ctx, `select count(*) from (
		(select name, version, status, is_latest, entry_sha256 from row where run_id = $1 except select name, version, status, is_latest, entry_sha256 from row where run_id = $2)
		union all
		(select name, version, status, is_latest, entry_sha256 from row where run_id = $2 except select name, version, status, is_latest, entry_sha256 from row where run_id = $1)) d`,
		run, wanted).Scan(&differ)
	if err != nil || differ != 0 {
		t.Errorf("%d rows differ from a full walk (%v)", differ, err)
	}
	if n, err := q.CountPages(ctx, queries.CountPagesParams{RunID: run, Pass: passWalk}); err != nil || n != 0 {
		t.Errorf("%d pages of a full walk were read (%v)", n, err)
	}
	r, err := Report(ctx, pool, run)
	if err != nil || len(r.Walk.Unproven) != 1 {
		t.Errorf("unproven %v (%v), want the run that it rests on", r.Walk.Unproven, err)
	}
}
