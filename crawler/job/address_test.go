package job

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries"
)

// counted is a listener on loopback that counts who connects.
func counted(t *testing.T) (port int, connections *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = conn.Close()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, connections
}

// Unless it is allowed, no packet goes to a private address: not for a URL that says so, nor for a name that a resolver
// maps there.
func TestNothingGoesToPrivateAddresses(t *testing.T) {
	t.Parallel()
	port, connections := counted(t)
	urls := map[string]string{ // URL to the expected reason, or outcome of the visit
		fmt.Sprintf("http://127.0.0.1:%d/mcp", port):             "private_address",
		fmt.Sprintf("http://localhost:%d/mcp", port):             "private_address",
		fmt.Sprintf("http://[::ffff:127.0.0.1]:%d/mcp", port):    "private_address",
		fmt.Sprintf("http://2130706433:%d/mcp", port):            "private_address",
		fmt.Sprintf("http://rebind.mcp-census.org:%d/mcp", port): "policy.address",
		"https://10.0.0.5/mcp":                                   "private_address",
		"https://169.254.169.254/mcp":                            "private_address",
	}
	var rows []world.Row
	for url := range urls {
		server, err := json.Marshal(map[string]any{
			"name": fmt.Sprintf("org.example/n%d", len(rows)), "version": "1.0.0", "remotes": []any{map[string]string{"type": "streamable-http", "url": url}},
		})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, world.Row{Name: fmt.Sprintf("org.example/n%d", len(rows)), Version: "1.0.0", Status: world.Active, Latest: true, Server: server})
	}
	registry := httptest.NewServer(world.NewRegistry(rows))
	t.Cleanup(registry.Close)
	pool := newPool(t)
	o := options(t, pool)
	o.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	s := quick(registry.URL)
	s.AllowPrivate = false
	run := census(t, o, s)
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to a private address", n)
	}
	ctx := context.Background()
	result, err := pool.Query(ctx, `select d.raw, coalesce(nullif(t.reason, ''), p.outcome)
		from declaration d join target_declaration using (run_id, name, version, kind, position) join target t using (run_id, target_id)
		left join probe p using (run_id, target_id) where run_id = $1`, run)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	seen := 0
	for result.Next() {
		var raw, got string
		if err := result.Scan(&raw, &got); err != nil {
			t.Fatal(err)
		}
		seen++
		if got != urls[raw] {
			t.Errorf("%s: %q, want %q", raw, got, urls[raw])
		}
	}
	if result.Err() != nil || seen != len(urls) {
		t.Errorf("%d of %d endpoints in the frame (%v)", seen, len(urls), result.Err())
	}
	if n, err := queries.New(pool).CountProbes(ctx, run); err != nil || n.Probes != 1 || n.Bytes != 0 {
		t.Errorf("%+v visits, want 1 that got nothing (%v)", n, err)
	}
}
