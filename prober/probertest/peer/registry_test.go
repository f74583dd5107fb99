//go:build unix

package peer_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/probertest/peer"
)

func document(name, version, url string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",`+
		`"name":%q,"description":"d","version":%q,"remotes":[{"type":"streamable-http","url":%q}]}`, name, version, url))
}

// list returns the rows of one page as "version status latest", by name and version, or the HTTP status.
func list(t *testing.T, g *peer.Registry) (map[string]string, int) {
	t.Helper()
	res, err := http.Get(g.URL + "/v0.1/servers?limit=100&include_deleted=true")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Servers []struct {
			Server struct{ Name, Version string }
			Meta   map[string]struct {
				Status   string
				IsLatest bool
			} `json:"_meta"`
		}
	}
	if res.StatusCode != http.StatusOK {
		return nil, res.StatusCode
	}
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, s := range page.Servers {
		o := s.Meta["io.modelcontextprotocol.registry/official"]
		rows[s.Server.Name+" "+s.Server.Version] = fmt.Sprint(o.Status, " ", o.IsLatest)
	}
	return rows, res.StatusCode
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	g := peer.StartRegistry(t, []json.RawMessage{
		document("com.example/alpha", "1.0.0", "http://127.0.0.1:1/mcp"),
		document("com.example/alpha", "1.1.0", "http://127.0.0.1:1/mcp"),
	})
	check := func(when string, want map[string]string) {
		t.Helper()
		got, status := list(t, g)
		if status != http.StatusOK || fmt.Sprint(got) != fmt.Sprint(want) { // maps print sorted
			t.Errorf("%s: status %d, rows %v, want %v", when, status, got, want)
		}
	}
	rows := map[string]string{"com.example/alpha 1.0.0": "active false", "com.example/alpha 1.1.0": "active true"}
	check("seeded", rows)

	g.Insert(document("com.example/alpha", "1.2.0", "http://127.0.0.1:2/mcp"))
	rows["com.example/alpha 1.1.0"], rows["com.example/alpha 1.2.0"] = "active false", "active true"
	check("inserted", rows)

	name := peer.AnonymousNamespace + "/beta"
	g.Publish(document(name, "1.0.0", "https://one.example.com/mcp"))
	g.Publish(document(name, "2.0.0", "https://two.example.com/mcp"))
	rows[name+" 1.0.0"], rows[name+" 2.0.0"] = "active false", "active true"
	check("published", rows)

	g.SetStatus(name, "2.0.0", "deleted")
	rows[name+" 1.0.0"], rows[name+" 2.0.0"] = "active true", "deleted false"
	check("deleted", rows)

	if got := g.Exec("select count(*) from servers"); got != "5" {
		t.Errorf("the database has %s rows", got)
	}
	g.StopDatabase()
	if _, status := list(t, g); status != http.StatusInternalServerError {
		t.Errorf("without its database the registry answers %d", status)
	}
	g.StartDatabase()
	check("with its database again", rows)
}

func TestRegistriesSideBySide(t *testing.T) {
	t.Parallel()
	one := peer.StartRegistry(t, []json.RawMessage{document("com.example/one", "1.0.0", "http://127.0.0.1:1/mcp")})
	two := peer.StartRegistry(t, nil)
	if rows, _ := list(t, one); len(rows) != 1 {
		t.Errorf("one has %v", rows)
	}
	if rows, _ := list(t, two); len(rows) != 0 {
		t.Errorf("two has %v", rows)
	}
}
