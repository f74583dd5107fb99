package polite

import (
	"bytes"
	"strings"
	"testing"
)

func TestRobotsGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want bool // /mcp is disallowed
	}{
		"empty":                {"", false},
		"all crawlers":         {"User-agent: *\nDisallow: /", false},
		"us":                   {"User-agent: mcpcensus\nDisallow: /", true},
		"case":                 {"USER-AGENT:McpCensus\ndisallow:/", true},
		"with version":         {"User-agent: mcpcensus/1.0 (+https://x)\nDisallow: /", true},
		"longer name":          {"User-agent: mcpcensus-bot\nDisallow: /", false},
		"shorter name":         {"User-agent: mcp\nDisallow: /", false},
		"several names":        {"User-agent: a\nUser-agent: mcpcensus\nUser-agent: b\nDisallow: /", true},
		"another group first":  {"User-agent: a\nDisallow: /\n\nUser-agent: mcpcensus\nDisallow: /x", false},
		"another group after":  {"User-agent: mcpcensus\nDisallow: /x\nUser-agent: a\nDisallow: /", false},
		"two groups":           {"User-agent: mcpcensus\nDisallow: /x\nUser-agent: a\nDisallow: /y\nUser-agent: mcpcensus\nDisallow: /mcp", true},
		"empty rule allows":    {"User-agent: mcpcensus\nDisallow:", false},
		"empty rule ends it":   {"User-agent: mcpcensus\nDisallow:\nUser-agent: *\nDisallow: /", false},
		"other records":        {"User-agent: mcpcensus\nCrawl-delay: 5\nSitemap: https://x/\nUser-agent: b\nDisallow: /", true},
		"comments":             {"# all\nUser-agent: mcpcensus # us\n# hm\nDisallow: / # all", true},
		"CR only":              {"User-agent: mcpcensus\rDisallow: /\r", true},
		"CRLF":                 {"User-agent: mcpcensus\r\n\r\nDisallow: /\r\n", true},
		"byte order mark":      {"\ufeffUser-agent: mcpcensus\nDisallow: /", true},
		"rule before a group":  {"Disallow: /\nUser-agent: mcpcensus\nAllow: /x", false},
		"a page, not a robots": {"<html>\nUser-agent: mcpcensus\n</html>", false},
	} {
		if got := ParseRobots([]byte(c.in)).Disallows("/mcp"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (Robots{}).Disallows("/") {
		t.Error("the zero value forbids")
	}
}

func TestRobotsRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, path string
		want        bool
	}{
		{"Disallow: /mcp", "/mcp", true},
		{"Disallow: /mcp", "/mcp/x?y", true},
		{"Disallow: /mcp", "/mcpx", true},
		{"Disallow: /mcp", "/MCP", false},
		{"Disallow: /mcp/", "/mcp", false},
		{"Disallow: mcp", "/mcp", false},
		{"Disallow: /", "", true},
		{"Disallow: /", "/robots.txt", false},
		{"Disallow: /\nAllow: /mcp", "/mcp", false},
		{"Disallow: /mcp\nAllow: /mcp", "/mcp", false},
		{"Allow: /mcp\nDisallow: /mcp", "/mcp", false},
		{"Allow: /mcp\nDisallow: /mcp/x", "/mcp/x", true},
		{"Allow: /\nDisallow: /*", "/mcp", true},
		{"Disallow: /*.php", "/a/b.php?x", true},
		{"Disallow: /*.php$", "/a/b.php", true},
		{"Disallow: /*.php$", "/a/b.php?x", false},
		{"Disallow: /a*b*c", "/axbbxc", true},
		{"Disallow: /a*b*c", "/axcxb", false},
		{"Disallow: *x", "/a/x", true},
		{"Disallow: /mcp$", "/mcp", true},
		{"Disallow: /mcp$", "/mcp/", false},
		{"Disallow: /a$b", "/a$b", true},
		{"Disallow: /a*", "/a", true},
		{"Disallow: /a*aa$", "/aaa", true},
		{"Disallow: /a*aaa$", "/aaa", false},
		{"Disallow: /%61", "/a", true},
		{"Disallow: /a", "/%61", true},
		{"Disallow: /é", "/%c3%a9", true},
		{"Disallow: /%C3%A9", "/é", true},
		{"Disallow: /a%2fb", "/a/b", false},
		{"Disallow: /a%2fb", "/a%2Fb", true},
		{"Disallow: /a%2ab", "/a*b", true},
		{"Disallow: /a%2ab", "/axb", false},
		{"Disallow: /%zz", "/%zz", true},
		{"Disallow: /x?y=1", "/x?y=12", true},
	} {
		if got := ParseRobots([]byte("User-agent: mcpcensus\n" + c.rules)).Disallows(c.path); got != c.want {
			t.Errorf("%q, path %q: %v", c.rules, c.path, got)
		}
	}
}

func TestRobotsTooLong(t *testing.T) {
	t.Parallel()
	head := "User-agent: mcpcensus\nDisallow: /a\n"
	filler := strings.Repeat("#", maxRobots-len(head)-len("\nDisallow: /b"))
	r := ParseRobots([]byte(head + filler + "\nDisallow: /b/but/not/this"))
	if !r.Disallows("/a") || r.Disallows("/b") || r.Disallows("/b/but/not/this") {
		t.Errorf("rules %+v", r.rules)
	}
}

func FuzzParseRobots(f *testing.F) {
	f.Add([]byte("User-agent: mcpcensus\nDisallow: /a*b$\nAllow: /%61"), "/a/b?c")
	f.Add([]byte("User-agent: *\r\rDisallow: /"), "/")
	f.Add([]byte("user-agent:mcpcensus#\ndisallow:*"), "%")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		r := ParseRobots(body)
		if r.Disallows(path) && !bytes.Contains(bytes.ToLower(body), []byte(ProductToken)) {
			t.Error("forbidden by a group that does not name the census")
		}
		if r.Disallows("/robots.txt") {
			t.Error("robots.txt is forbidden")
		}
		if once := normalPath(path); normalPath(once) != once {
			t.Errorf("%q: normal form %q changes again", path, once)
		}
	})
}
