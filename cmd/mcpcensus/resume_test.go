package main

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

// resultOf are the rows of a run that must not depend on what happened on the way. Left out are times, workers and
// attempts, and the ids that servers choose: they stand in event streams and in headers.
var resultOf = []string{
	`select name, version, status, is_latest, published_at, updated_at, entry_sha256, anomalies from row`,
	`select page, position, reason, entry_sha256 from bad_row`,
	`select pass, seq, cursor_in, cursor_out, status, body_sha256, rows, bad_rows, anomalies from registry_page where pass = 'walk'`,
	`select name, version, kind, position, type, raw, key, key_no_slash, key_no_query, host, domain, host_class, port, query_names, inputs, endpoint_class, flags from declaration`,
	`select target_id, key, url, host, domain, publisher, operator, types, names, eligible, reason, rule, sampled, rank from target`,
	`select target_id, name, version, kind, position from target_declaration`,
	`select host, targets, finished_at is null from host`,
	`select host, scheme, port, status, failure, body_sha256 from robots`,
	`select target_id, purpose, visit, eras, outcome, ended, retry_after_ms is null, unknown_tool, exchanges, error from probe`,
	`select target_id, purpose, visit, seq, era, transport, step, page, try, follows_of, stream_of, method, request_sha256, request_id,
	        status, proto, declared_length, truncated, left_open, failure, case when http_header(response_header, 'content-type') not like 'text/event-stream%' then body_sha256 end, answer_sha256
	 from exchange`,
	`select t.key, f.classifier, f.version, f.question, f.tool, f.tool_name, f.answer, f.label, f.reason, f.exchanges
	 from evidence e join finding f using (evidence_sha256, classifier, version) join target t using (run_id, target_id)`,
	`select answer_sha256, position, name, has_output_schema, read_only_hint, definition, projection_error from tool`,
	`select rate_id, stratum, version, body from rate`,
}

// dump reads the result of the only run in a database, each table sorted.
func dump(t *testing.T, url string) []string {
	t.Helper()
	pool := testdb.Open(t, url)
	var result []string
	for _, query := range resultOf {
		rows, err := pool.Query(context.Background(), `select r::text from (`+query+`) r order by 1`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			result = append(result, row)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	return result
}

func runArgs(registry, database string) []string {
	return []string{"run", "--registry-url", registry, "--database-url", database, "--allow-private-networks", "--gap", "10ms",
		"--registry-rate", "1000", "--spot-checks", "20", "--quiet", "--format", "json"}
}

// A run that is killed at ten random moments and resumed gives what an undisturbed run gives, row for row.
func TestKilledRunGivesTheSameResult(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a census ten times interrupted")
	}
	t.Parallel()
	w := world.New(11, 60)
	w.Steady = true // the same servers are visited twice, and again after a kill
	registry, stop, err := w.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	program := binary(t)

	undisturbed := testdb.Empty(t)
	if out, err := exec.Command(program, runArgs(registry, undisturbed)...).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, out)
	}
	killedRunEquals(t, program, registry, undisturbed)
}

// killedRunEquals takes the census of a registry again, killed at ten random moments, and compares it row for row with one
// that was not disturbed.
func killedRunEquals(t *testing.T, program, registry, undisturbed string) {
	t.Helper()
	want := dump(t, undisturbed)
	seed := uint64(time.Now().UnixNano())
	chance := rand.New(rand.NewPCG(seed, 0))
	all := committed(t, undisturbed)
	moments := make([]int, 10)
	for i := range moments {
		moments[i] = 1 + chance.IntN(all-1)
	}
	slices.Sort(moments)
	t.Logf("%d rows; killed (seed %d) when as many of %d pages, visits and classifications were committed: %v", len(want), seed, all, moments)
	disturbed := testdb.Empty(t)
	kills := 0
	for _, moment := range moments {
		if killAt(t, program, registry, disturbed, moment) {
			kills++
		}
	}
	t.Logf("%d kills", kills)
	if kills < len(moments)/2 {
		t.Errorf("only %d kills hit a run under way", kills)
	}
	// The last one: when the run is closed already, only its report is wanted.
	args := runArgs(registry, disturbed)
	if closed(t, disturbed) {
		args = []string{"report", "--database-url", disturbed, "--format", "json"}
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("last run: %v\n%s", err, out)
	}
	if got := dump(t, disturbed); !slices.Equal(got, want) {
		t.Errorf("the result of the killed run differs (-undisturbed +killed):\n%s", cmp.Diff(want, got))
	}
	if !strings.Contains(string(out), `"stage": "closed"`) {
		t.Errorf("the run is not closed:\n%s", out)
	}
}

// committed counts what a run has committed: pages, visits, classifications.
func committed(t *testing.T, database string) int {
	t.Helper()
	pool := testdb.Open(t, database)
	defer pool.Close()
	return committedIn(pool)
}

func committedIn(pool *pgxpool.Pool) (n int) {
	// An error means that the first process has not made the tables yet.
	_ = pool.QueryRow(context.Background(), `select (select count(*) from registry_page) + (select count(*) from probe) + (select count(*) from evidence)`).Scan(&n)
	return n
}

// killAt starts the run and kills it with SIGKILL as soon as so much is committed. It returns false when the run was over
// before.
func killAt(t *testing.T, program, registry, database string, moment int) bool {
	t.Helper()
	pool := testdb.Open(t, database)
	defer pool.Close()
	if closed(t, database) {
		return false // another start would begin another run
	}
	cmd := exec.Command(program, runArgs(registry, database)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed, or over
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return false
		case <-time.After(2 * time.Millisecond):
		}
		if committedIn(pool) >= moment {
			_ = cmd.Process.Kill() // may have ended by itself
			<-ended
			return true
		}
	}
}

func closed(t *testing.T, database string) bool {
	t.Helper()
	pool := testdb.Open(t, database)
	defer pool.Close()
	var stage string
	_ = pool.QueryRow(context.Background(), `select stage from run`).Scan(&stage) // no run yet
	return stage == "closed"
}
