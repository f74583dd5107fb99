package dial

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, from string
		status       int
		location     string
		hop          int
		to, rule     string
	}{
		{"POST", "https://a.example.com/mcp", 308, "/mcp/", 1, "https://a.example.com/mcp/", ""},
		{"POST", "https://a.example.com/mcp", 307, "https://b.example.com/x?y=1#z", 2, "https://b.example.com/x?y=1", ""},
		{"POST", "http://example.com/mcp", 308, "https://example.com/mcp", 1, "https://example.com/mcp", ""},
		{"POST", "https://example.com:8443/mcp", 308, "https://example.com/mcp", 1, "https://example.com/mcp", ""},
		{"POST", "https://example.com:8443/mcp", 308, "/other", 1, "https://example.com:8443/other", ""},
		{"GET", "https://example.com/sse", 302, "/sse/", 1, "https://example.com/sse/", ""},
		{"POST", "http://8.8.8.8/mcp", 308, "/x", 1, "http://8.8.8.8/x", ""},
		{"POST", "https://example.com/mcp", 302, "/login", 1, "", "into GET"},
		{"DELETE", "https://example.com/mcp", 301, "/x", 1, "", "into GET"},
		{"POST", "https://example.com/mcp", 308, "http://example.com/mcp", 1, "", "same scheme"},
		{"POST", "https://example.com/mcp", 308, "ftp://example.com/mcp", 1, "", "same scheme"},
		{"POST", "https://example.com/mcp", 308, "https://example.org/mcp", 1, "", "another site"},
		{"POST", "https://one.github.io/mcp", 308, "https://two.github.io/mcp", 1, "", "another site"},
		{"POST", "https://co.uk/mcp", 308, "https://x.co.uk/mcp", 1, "", "another site"},
		{"POST", "https://8.8.8.8/mcp", 308, "https://8.8.4.4/mcp", 1, "", "another site"},
		{"POST", "https://example.com/mcp", 307, "http://169.254.169.254/latest/meta-data/", 1, "", "same scheme"},
		{"POST", "http://example.com/mcp", 307, "http://169.254.169.254/latest/meta-data/", 1, "", "another site"},
		{"POST", "https://example.com/mcp", 308, "https://example.com:22/", 1, "", "port 22"},
		{"POST", "https://example.com/mcp", 308, "https://u:p@example.com/", 1, "", "user"},
		{"POST", "https://example.com/mcp", 308, "", 1, "", "no location"},
		{"POST", "https://example.com/mcp", 308, "http://[::1", 1, "", "no URL"},
		{"POST", "https://example.com/mcp", 308, "/x", 3, "", "in a row"},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := Follow(c.method, from, c.status, c.location, c.hop)
		var refused *RedirectError
		switch {
		case c.rule == "" && (err != nil || to.String() != c.to):
			t.Errorf("%s %s -> %q: got %v, %v", c.method, c.from, c.location, to, err)
		case c.rule != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Rule, c.rule)):
			t.Errorf("%s %s -> %q: got %v, %v; want %q", c.method, c.from, c.location, to, err, c.rule)
		}
	}
}

func FuzzFollow(f *testing.F) {
	for _, seed := range []string{"/x", "//evil.example/x", "https://b.example.com", "http:\\\\evil", "?q", "https:evil"} {
		f.Add(seed)
	}
	from, err := url.Parse("https://a.example.com/mcp")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string) {
		to, err := Follow("POST", from, 308, location, 1)
		if err == nil && (to.Scheme != "https" || !strings.HasSuffix("."+normalHost(to.Hostname()), ".example.com") || to.User != nil) {
			t.Errorf("%q leads to %s", location, to)
		}
	})
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://example.com/a", "https://EXAMPLE.com:443/b", true},
		{"http://example.com/a", "http://example.com:80/b", true},
		{"https://example.com/a", "http://example.com/a", false},
		{"https://example.com/a", "https://example.com:8443/a", false},
		{"https://example.com/a", "https://www.example.com/a", false},
	} {
		a, errA := url.Parse(c.a)
		b, errB := url.Parse(c.b)
		if errA != nil || errB != nil || SameOrigin(a, b) != c.want {
			t.Errorf("%s, %s: want %v", c.a, c.b, c.want)
		}
	}
}
