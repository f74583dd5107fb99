package polite

import (
	"strings"
	"testing"
)

func TestOptOut(t *testing.T) {
	t.Parallel()
	list, err := ReadOptOut(strings.NewReader("\ufeff# those who asked\n\n" +
		"tiny.example.org   # by mail\r\n" +
		"*.Example.net\n" +
		"bücher.example\n" +
		"2001:DB8::1\n" +
		"under_score.example\n" +
		"https://shared.example/TENANT\n" +
		"http://[2001:db8::2]:80\n" +
		"org.example/one\n" +
		"com.acme/\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, url string
		names     []string
		want      string
	}{
		{"tiny.example.org", "", nil, "tiny.example.org"},
		{"TINY.example.org.", "", nil, "tiny.example.org"},
		{"tiny.example.org:8443", "", nil, "tiny.example.org"},
		{"x.tiny.example.org", "", nil, ""},
		{"example.org", "", nil, ""},
		{"a.b.example.net", "", nil, "*.Example.net"},
		{"example.net", "", nil, ""},
		{"badexample.net", "", nil, ""},
		{"xn--bcher-kva.example", "", nil, "bücher.example"},
		{"BÜCHER.example", "", nil, "bücher.example"},
		{"[2001:db8::1]:443", "", nil, "2001:DB8::1"},
		{"2001:db8:0::1", "", nil, "2001:DB8::1"},
		{"under_score.example", "", nil, "under_score.example"},
		{"shared.example", "https://shared.example/TENANT/mcp", nil, "https://shared.example/TENANT"},
		{"shared.example", "HTTPS://Shared.Example:443/TENANT#x", nil, "https://shared.example/TENANT"},
		{"shared.example", "https://u:p@shared.example/TENANT?x=1", nil, "https://shared.example/TENANT"},
		{"shared.example", "https://shared.example/tenant", nil, ""},
		{"shared.example", "http://shared.example/TENANT", nil, ""},
		{"", "http://[2001:DB8::2]/x", nil, "http://[2001:db8::2]:80"},
		{"", "", []string{"a/b", "Org.Example/One"}, "org.example/one"},
		{"", "", []string{"org.example/onemore"}, ""},
		{"", "", []string{"com.acme/anything"}, "com.acme/"},
		{"", "", []string{"com.acmeother/x"}, ""},
		{"", "", nil, ""},
		{"%", "%", []string{""}, ""},
	} {
		rule, ok := list.Match(c.host, c.url, c.names)
		if rule != c.want || ok != (c.want != "") {
			t.Errorf("%q, %q, %v: %q, %v; want %q", c.host, c.url, c.names, rule, ok, c.want)
		}
	}
	if _, ok := (OptOut{}).Match("tiny.example.org", "", nil); ok {
		t.Error("the empty list matches")
	}
}

func TestOptOutErrors(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"example.org:443", "*", "*.", "a.*.example", "user@example.org", "ftp://example.org/", "https://user@example.org/", "https:///x",
		"https://example.org/#x", "https://exa mple.org/", "one two", "/mcp", "org.example/*", ".", "http://%zz/", strings.Repeat("a", maxRule+1),
	} {
		_, err := ReadOptOut(strings.NewReader("# comment\nexample.org\n" + bad + "\nexample.net\n"))
		if err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%.40q: error %v does not name line 3", bad, err)
		}
	}
}

func FuzzReadOptOut(f *testing.F) {
	f.Add("example.org\n*.example.org # x\nhttps://example.org/a\na/b\na/", "example.org:1", "https://example.org/a?b", "a/b")
	f.Add("::1\n[::1]", "[::1]:80", "http://[::1]/", "")
	f.Fuzz(func(t *testing.T, text, host, url, name string) {
		list, err := ReadOptOut(strings.NewReader(text))
		if err != nil {
			if !strings.Contains(err.Error(), "line ") {
				t.Errorf("error %v names no line", err)
			}
			return
		}
		if rule, ok := list.Match(host, url, []string{name}); ok && !strings.Contains(text, rule) {
			t.Errorf("rule %q is not in the list", rule)
		}
	})
}
