package redact

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	t.Parallel()
	jwt := "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
	tests := map[string]struct{ raw, want string }{
		"nothing to hide":          {"https://example.com/mcp?tools=a,b&src=registry#top", "https://example.com/mcp?tools=a,b&src=registry#top"},
		"password":                 {"https://user:pw@192.168.1.9/mcp?token=abc123", "https://REDACTED@192.168.1.9/mcp?token=REDACTED"},
		"user only":                {"https://user@example.com/@scope/x", "https://REDACTED@example.com/@scope/x"},
		"two at signs":             {"https://a@b:c@example.com/", "https://REDACTED@example.com/"},
		"hash in the password":     {"https://user:p#w@example.com/", "https://REDACTED@example.com/"},
		"at sign in the query":     {"https://example.com:8080?user=a@b", "https://example.com:8080?user=a@b"},
		"at sign behind both":      {"https://u:p@example.com?user=a@b", "https://REDACTED@example.com?user=a@b"},
		"at sign in path":          {"https://example.com/@scope/server/mcp", "https://example.com/@scope/server/mcp"},
		"no scheme":                {"//user:pw@example.com", "//REDACTED@example.com"},
		"no slashes":               {"https:user:pw@example.com", "https:REDACTED@example.com"},
		"backslash":                {`https://user:pw@example.com\x@y`, `https://REDACTED@example.com\x@y`},
		"not a URL at all":         {"https://example.com:99999/?password=hunter2 and more", "https://example.com:99999/?password=REDACTED"},
		"camel, snake, kebab":      {"https://h/?apiKey=1&api_key=2&api-key=3&x-api-key=4&APIKEY=5", "https://h/?apiKey=REDACTED&api_key=REDACTED&api-key=REDACTED&x-api-key=REDACTED&APIKEY=REDACTED"},
		"run together":             {"https://h/?accesstoken=1&clientSecret=2&X-Amz-Signature=3&sig=4&code=5", "https://h/?accesstoken=REDACTED&clientSecret=REDACTED&X-Amz-Signature=REDACTED&sig=REDACTED&code=REDACTED"},
		"only looks like one":      {"https://h/?monkey=1&author=x&design=2&keyword=mcp&session_less=", "https://h/?monkey=1&author=x&design=2&keyword=mcp&session_less="},
		"escaped name":             {"https://h/?%74oken=1", "https://h/?%74oken=REDACTED"},
		"template":                 {"https://h/mcp?api_key={api_key}&token=%7Btoken%7D", "https://h/mcp?api_key={api_key}&token=%7Btoken%7D"},
		"template with a secret":   {"https://h/mcp?api_key={x}abc", "https://h/mcp?api_key=REDACTED"},
		"value with equals":        {"https://h/?key=a=b==", "https://h/?key=REDACTED"},
		"semicolons":               {"https://h/?a=1;key=2;b=3", "https://h/?a=1;key=REDACTED;b=3"},
		"fragment":                 {"https://h/#access_token=abc&x=1", "https://h/#access_token=REDACTED&x=1"},
		"token in the path":        {"https://h/ghp_0123456789abcdefghij/mcp", "https://h/REDACTED/mcp"},
		"token under another name": {"https://h/?x=sk_live_0123456789abcdef", "https://h/?x=REDACTED"},
		"JSON Web Token":           {"https://h/" + jwt + "/sse", "https://h/REDACTED/sse"},
		"token without a name":     {"https://h/?" + jwt, "https://h/?REDACTED"},
		"nothing":                  {"", ""},
		"odd query":                {"https://h/??&&=&=x", "https://h/??&&=&=x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := URL(tt.raw); got != tt.want {
				t.Errorf("URL(%q)\n got %q\nwant %q", tt.raw, got, tt.want)
			}
		})
	}
}

func FuzzURL(f *testing.F) {
	f.Add("user", "hunter2", "example.com/mcp?x=1#y")
	f.Add("a@b", "p@w/", "[::1]:8080/?token=")
	f.Fuzz(func(t *testing.T, user, secret, rest string) {
		if strings.ContainsAny(user+secret, `/\?#@`) || len(secret) < 4 || strings.Contains("https://@"+Hidden+rest, secret) || strings.Contains(secret, "{") {
			t.Skip()
		}
		for _, raw := range []string{
			"https://" + user + ":" + secret + "@" + rest,
			"https://" + "example.com/?token=" + strings.NewReplacer("&", "", ";", "").Replace(secret) + "&" + strings.TrimLeft(rest, "?"),
		} {
			shown := URL(raw)
			if strings.Contains(shown, secret) {
				t.Fatalf("%q still shows %q: %q", raw, secret, shown)
			}
			if again := URL(shown); again != shown {
				t.Fatalf("%q is redacted once more to %q", shown, again)
			}
		}
	})
}
