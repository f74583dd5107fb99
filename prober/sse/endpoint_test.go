package sse

import (
	"net/url"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/dial"
)

func TestEndpointURL(t *testing.T) {
	t.Parallel()
	stream, err := url.Parse("https://mcp.example.com/v1/sse?key=1")
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		"/messages?sessionId=abc":                       "https://mcp.example.com/messages?sessionId=abc",
		"messages?sessionId=abc":                        "https://mcp.example.com/v1/messages?sessionId=abc",
		"?sessionId=abc":                                "https://mcp.example.com/v1/sse?sessionId=abc",
		"https://mcp.example.com/m":                     "https://mcp.example.com/m",
		"https://MCP.example.com:443/m#x":               "https://MCP.example.com:443/m",
		"//mcp.example.com/m":                           "https://mcp.example.com/m",
		"/m?next=http%3A%2F%2Fexample.org":              "https://mcp.example.com/m?next=http%3A%2F%2Fexample.org",
		"http://mcp.example.com/m":                      "",
		"https://mcp.example.com:8443/m":                "",
		"https://evil.example.org/collect":              "",
		"//evil.example.org/collect":                    "",
		"https://u:p@mcp.example.com/m":                 "",
		"http://0.0.0.0:3001/messages?sessionId=abc":    "",
		"http%3A//127.0.0.1%3A8000/messages/":           "",
		"HTTPS%3a%2f%2fmcp.example.com/messages":        "",
		`{"uri":"/messages"}`:                           "",
		"/a b":                                          "",
		"/a\nb":                                         "",
		`\\evil.example.org\x`:                          "",
		"/é":                                            "",
		"":                                              "",
		"javascript:alert(1)":                           "",
		"https:///m":                                    "",
		"https://mcp.example.com.evil.example.org/m":    "",
		"https://mcp.example.com@evil.example.org/m":    "",
		"https://mcp.example.com%2eevil.example.org/m":  "",
		"https://mcp.example.com:443@evil.example.org/": "",
	} {
		got, err := endpointURL(stream, data)
		if want == "" && err == nil || want != "" && (err != nil || got.String() != want) {
			t.Errorf("%q: got %v, %v; want %q", data, got, err, want)
		}
	}
}

func FuzzEndpointURL(f *testing.F) {
	for _, seed := range []string{"/m", "//x", "http%3A//x", `{"a":1}`, "https://mcp.example.com/m"} {
		f.Add(seed)
	}
	stream, err := url.Parse("https://mcp.example.com/sse")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if to, err := endpointURL(stream, data); err == nil && (!dial.SameOrigin(stream, to) || to.User != nil) {
			t.Errorf("%q leads to %s", data, to)
		}
	})
}
