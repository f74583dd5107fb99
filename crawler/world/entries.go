package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Declaration is one remote of one row, with the endpoint that it is meant to be.
type Declaration struct {
	Name, Version string
	Status        string
	Latest        bool
	Type          wire.Transport
	Raw           string // as declared
	Key           string // canonical spelling; empty when it is no usable URL
	Class         string // plain, template or invalid
}

// The classes of a declaration.
const (
	Plain    = "plain"
	Template = "template"
	Invalid  = "invalid"
)

// remote is one entry of remotes in a server.json.
type remote struct {
	Type      wire.Transport `json:"type"`
	URL       string         `json:"url"`
	Variables map[string]any `json:"variables,omitempty"`
}

// book collects rows and what they declare.
type book struct {
	rows         []Row
	declarations []Declaration
	clock        time.Time
}

// enter adds a row; key and class describe its remotes, which share them.
func (b *book) enter(operator, name, version, status string, latest bool, remotes []remote, key, class string) {
	b.clock = b.clock.Add(time.Minute)
	server := map[string]any{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        name,
		"description": "Simulated server.",
		"version":     version,
	}
	if operator != "" {
		server["repository"] = map[string]string{"url": "https://github.com/" + operator + "/servers", "source": "github"}
	}
	if len(remotes) > 0 {
		server["remotes"] = remotes
	} else {
		server["packages"] = []map[string]any{{"registryType": "npm", "identifier": "@" + operator + "/server", "version": "1.0.0",
			"transport": map[string]string{"type": "stdio"}}}
	}
	raw, err := json.Marshal(server)
	if err != nil {
		panic(err) // strings and maps of strings marshal
	}
	b.rows = append(b.rows, Row{Name: name, Version: version, Status: status, Latest: latest, Server: raw,
		StatusChangedAt: b.clock, PublishedAt: b.clock, UpdatedAt: b.clock})
	for _, r := range remotes {
		b.declarations = append(b.declarations, Declaration{Name: name, Version: version, Status: status, Latest: latest,
			Type: r.Type, Raw: r.URL, Key: key, Class: class})
	}
}

// declare adds the rows of one endpoint: its name with one version or more, and for some a second name that spells the
// URL in another way.
func (b *book) declare(n int, e *Endpoint) {
	name := fmt.Sprintf("com.%s/server-%d", e.Operator, n)
	if n%4 == 1 {
		name = fmt.Sprintf("io.github.%s/server-%d", e.Operator, n)
	}
	own := []remote{{Type: e.Type, URL: e.URL}}
	version := "1.0.0"
	switch n % 5 {
	case 0: // a superseded version of the same endpoint
		b.enter(e.Operator, name, "1.0.0", Active, false, own, e.URL, Plain)
		version = []string{"1.10.0", "1.0.1+build.7", "2.0.0-rc.1"}[n/5%3]
	case 3: // a superseded version of an endpoint that is gone
		gone := strings.TrimSuffix(e.URL, e.server.EndpointPath()) + "/old/mcp"
		b.enter(e.Operator, name, "0.9.0", Active, false, []remote{{Type: wire.StreamableHTTP, URL: gone}}, gone, Plain)
	}
	b.enter(e.Operator, name, version, Active, true, own, e.URL, Plain)
	if n%6 == 2 {
		mirror := fmt.Sprintf("com.%s/mirror-%d", e.Operator, n)
		b.enter(e.Operator, mirror, "2025.9", Active, true, []remote{{Type: e.Type, URL: respell(n/6, e.URL)}}, e.URL, Plain)
	}
}

// respell writes a URL so that only canonicalisation shows that it is the same.
func respell(n int, url string) string {
	switch n % 4 {
	case 0:
		return "HTTP" + strings.TrimPrefix(url, "http")
	case 1:
		return url + "#readme"
	case 2:
		return url + " "
	}
	at := strings.LastIndex(url, "/")
	return url[:at] + "/%" + fmt.Sprintf("%X", url[at+1]) + url[at+2:]
}

// special adds the rows of which no endpoint is visited, and those without one. alive is an endpoint that must not be
// asked on their account.
func (b *book) special(alive *Endpoint, private bool) {
	origin := "http://" + alive.Address
	at := func(url string) []remote { return []remote{{Type: wire.StreamableHTTP, URL: url}} }
	b.enter("", "com.example.gone/server", "1.0.0", Deleted, false, at(origin+"/deleted/mcp"), origin+"/deleted/mcp", Plain)
	b.enter("", "com.example.gone/lan", "1.0.0", Deleted, false, at("http://10.0.0.5/mcp"), "http://10.0.0.5/mcp", Plain)
	b.enter("", "com.example.old/server", "1.0.0", Deprecated, true, at(origin+"/deprecated/mcp"), origin+"/deprecated/mcp", Plain)
	b.enter("", "com.example.tenant/server", "1.0.0", Active, true, []remote{{Type: wire.StreamableHTTP, URL: "https://{tenant}.example.com/mcp",
		Variables: map[string]any{"tenant": map[string]bool{"isRequired": true}}}}, "", Template)
	b.enter("", "com.example.broken/server", "1.0.0", Active, true, at("https://"), "", Invalid)
	b.enter("", "com.example.ftp/server", "1.0.0", Active, true, at("ftp://files.example.com/mcp"), "", Invalid)
	b.enter("npm-only", "io.github.npm-only/server", "1.0.0 beta & more", Active, true, nil, "", "")
	b.enter("npm-only", "io.github.npm-only/zoo", "1.0#x?y:z%41", Active, true, nil, "", "")
	b.enter("npm-only", "io.github.npm-only/zebra", "1.0.0", Active, true, nil, "", "")
	if private {
		b.enter("", "com.example.lan/server", "1.0.0", Active, true, at("http://10.0.0.5/mcp"), "http://10.0.0.5/mcp", Plain)
		b.enter("", "com.example.metadata/server", "1.0.0", Active, true, at("http://169.254.169.254/mcp"), "http://169.254.169.254/mcp", Plain)
	}
}

// spellings returns the distinct raw URLs.
func spellings(declarations []Declaration) []string {
	var raw []string
	for _, d := range declarations {
		raw = append(raw, d.Raw)
	}
	slices.Sort(raw)
	return slices.Compact(raw)
}
