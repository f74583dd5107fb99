package streamable

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestHeaderValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"get_weather": "get_weather", "two words": "two words", "": "",
		" edge": "=?base64?IGVkZ2U=?=", "edge ": "=?base64?ZWRnZSA=?=", "é": "=?base64?w6k=?=", "a\nb": "=?base64?YQpi?=",
		"=?base64?YQ==?=": "=?base64?PT9iYXNlNjQ/WVE9PT89?=", "=?BASE64?YQ==?=": "=?BASE64?YQ==?=",
	} {
		if got := HeaderValue(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func FuzzHeaderValue(f *testing.F) {
	for _, seed := range []string{"a", " ", "é", "=?base64?YQ==?=", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := HeaderValue(value)
		if strings.ContainsAny(got, "\r\n\x00") || got != strings.TrimSpace(got) {
			t.Errorf("%q is no header value", got)
		}
		if inner, ok := strings.CutPrefix(got, "=?base64?"); ok && strings.HasSuffix(inner, "?=") {
			back, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
			if err != nil || string(back) != value {
				t.Errorf("%q comes back as %q", value, back)
			}
		} else if got != value {
			t.Errorf("%q became %q", value, got)
		}
	})
}

func TestSessionOf(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"abc-1": "abc-1", "": "", "a b": "", "é": "", "a\tb": ""} {
		e := &wire.Exchange{ResponseHeader: wire.Header{{Name: "mcp-session-id", Value: value}}}
		if got := SessionOf(e); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
