//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/mcpcensus/mcpcensus/classifier/report"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/prober/probertest/peer"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

// entry is a server.json with one remote.
func entry(t *testing.T, name, version string, transport wire.Transport, url string) json.RawMessage {
	t.Helper()
	document, err := json.Marshal(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    name, "version": version, "description": "a server of the test",
		"remotes": []map[string]any{{"type": transport, "url": url}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// startPeers starts every family of real servers.
func startPeers(t *testing.T) map[peer.Name]peer.Running {
	t.Helper()
	running := map[peer.Name]peer.Running{}
	for _, f := range peer.Families() {
		running[f.Name] = peer.Start(t, f.Name)
	}
	return running
}

// found are the answers of a census, by endpoint and question.
type found map[string]map[string]struct{ answer, label string }

func observe(t *testing.T, database, run string) found {
	t.Helper()
	_, observed, err := job.Observations(context.Background(), testdb.Open(t, database), run)
	if err != nil {
		t.Fatal(err)
	}
	all := found{}
	for _, o := range observed {
		if o.Tool != "" {
			continue
		}
		if all[o.URL] == nil {
			all[o.URL] = map[string]struct{ answer, label string }{}
		}
		all[o.URL][o.Question] = struct{ answer, label string }{o.Answer, o.Label}
	}
	return all
}

func (f found) want(t *testing.T, url, question, answer, label string) {
	t.Helper()
	got := f[url][question]
	if got.answer != answer || (label != "" && got.label != label) {
		t.Errorf("%s: %s is %q %q, want %q %q", url, question, got.answer, got.label, answer, label)
	}
}

func runReport(t *testing.T, args ...string) report.Report {
	t.Helper()
	code, out, errors := command(t, args...)
	if code != exitOK {
		t.Fatalf("%v: exit code %d\n%s", args, code, errors)
	}
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// The census of the official registry program, seeded with real servers of every family, gives exactly what was seeded,
// and of each server what is known of its family; killed at ten random moments and resumed, it gives the same.
func TestCensusOfTheOfficialRegistry(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the registry and real servers")
	}
	t.Parallel()
	running := startPeers(t)
	var seed []json.RawMessage
	for _, f := range peer.Families() {
		name := "org.example/" + string(f.Name)
		seed = append(seed,
			entry(t, name, "1.0.0", f.Transport, "http://127.0.0.1:9/old"), // superseded: in the frame, not visited
			entry(t, name, "1.1.0", f.Transport, running[f.Name].URL))
	}
	families := len(peer.Families())
	for i := range 150 { // more than a page of rows without an endpoint of its own
		seed = append(seed, entry(t, fmt.Sprintf("org.other/n%03d", i), "1.0.0", wire.StreamableHTTP, "https://{tenant}.example.com/mcp"))
	}
	seed = append(seed,
		entry(t, "org.gone/deleted", "1.0.0", wire.StreamableHTTP, "http://127.0.0.1:9/deleted"),
		entry(t, "org.gone/deprecated", "1.0.0", wire.StreamableHTTP, "http://127.0.0.1:9/deprecated"))
	registry := peer.StartRegistry(t, seed)
	registry.Exec(`update servers set status = 'deleted', is_latest = false where server_name = 'org.gone/deleted';
		update servers set status = 'deprecated' where server_name = 'org.gone/deprecated'`)
	database := testdb.Empty(t)
	program := binary(t)
	if out, err := exec.Command(program, runArgs(registry.URL, database)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := runReport(t, "report", "--database-url", database, "--format", "json")

	if r.Walk.State != "closed" || len(r.Walk.Unproven) > 0 {
		t.Errorf("walk %s %s, unproven %v", r.Walk.State, r.Walk.Reason, r.Walk.Unproven)
	}
	rows, names := int64(2*families+150+2), int64(families+150+2)
	if r.Walk.Rows != rows || r.Walk.Names != names || r.Walk.Deleted != 1 || r.Walk.Deprecated != 1 || r.Walk.BadRows != 0 {
		t.Errorf("registry %+v, want %d rows of %d names, 1 deleted, 1 deprecated", r.Walk, rows, names)
	}
	// Spellings: each family's two, the template, the two that are gone.
	if want := int64(families + 1 + 1 + 2); r.Frame.RawAll != want {
		t.Errorf("%d raw spellings over all rows, want %d", r.Frame.RawAll, want)
	}
	all := observe(t, database, r.Run)
	for _, f := range peer.Families() {
		wantFamily(t, all, f, running[f.Name].URL)
	}
	killedRunEquals(t, program, registry.URL, database)
}

func wantFamily(t *testing.T, all found, f peer.Family, url string) {
	t.Helper()
	all.want(t, url, "handshake.completed", "true", "")
	all.want(t, url, "era.legacy", fmt.Sprint(f.Legacy), "")
	all.want(t, url, "era.modern", fmt.Sprint(f.Modern), "")
	all.want(t, url, "era.legacy_revision", fmt.Sprint(f.Revision == wire.OfferLegacy), f.Revision)
	all.want(t, url, "tool_list.parseable", "true", "")
	for era, u := range f.UnknownTool {
		answer := fmt.Sprint(u.Label == "tool_error")
		// The classifier tells a protocol error that was wrapped into a result apart; it is a tool error all the same.
		got := all[url]["unknown_tool.tool_error."+string(era)]
		if got.answer != answer || (u.Label != got.label && got.label != u.Label+"_wrapped_protocol") {
			t.Errorf("%s: unknown tool in the %s era is %q %q, want %q", f.Name, era, got.answer, got.label, u.Label)
		}
	}
}

// Rows that are published while the registry is walked, and an outage of its database in the middle, lose nothing.
func TestRegistryChangesAndFailsDuringTheWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the registry")
	}
	t.Parallel()
	var seed []json.RawMessage
	for i := range 1250 {
		seed = append(seed, entry(t, fmt.Sprintf("org.example/n%04d", i), "1.0.0", wire.StreamableHTTP, "https://{tenant}.example.com/mcp"))
	}
	registry := peer.StartRegistry(t, seed)
	database := testdb.Empty(t)
	pool := testdb.Open(t, database)
	var disturbed sync.WaitGroup
	disturbed.Go(func() {
		deadline := time.Now().Add(time.Minute)
		for pages := 0; pages < 4; { // in the middle of 13 pages
			_ = pool.QueryRow(context.Background(), `select count(*) from registry_page`).Scan(&pages) // no table yet
			if time.Now().After(deadline) {
				t.Error("the walk does not begin")
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		// Behind the cursor, so that only the closing passes can see it; a new version demotes a latest one.
		registry.Insert(entry(t, "org.example/a-late", "1.0.0", wire.StreamableHTTP, "https://{tenant}.example.com/mcp"),
			entry(t, "org.example/n0001", "2.0.0", wire.StreamableHTTP, "https://{tenant}.example.com/mcp"))
		registry.StopDatabase()
		time.Sleep(time.Second) // long enough for a request to fail
		registry.StartDatabase()
	})
	r := runReport(t, "run", "--registry-url", registry.URL, "--allow-private-networks", "--database-url", database,
		"--registry-rate", "4", "--spot-checks", "5", "--quiet", "--format", "json")
	disturbed.Wait()
	if r.Walk.State != "closed" || len(r.Walk.Unproven) > 0 {
		t.Errorf("walk %s %s, unproven %v", r.Walk.State, r.Walk.Reason, r.Walk.Unproven)
	}
	if r.Walk.Rows != 1252 || r.Walk.Names != 1251 || r.Walk.Latest != 1251 {
		t.Errorf("registry %+v, want 1,252 rows of 1,251 names, each with one latest version", r.Walk)
	}
	if wanted := registry.Exec(`select count(*) from servers where is_latest`); wanted != fmt.Sprint(r.Walk.Latest) {
		t.Errorf("%d latest versions, the registry has %s", r.Walk.Latest, wanted)
	}
}
