package target

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonicalKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		raw, key string
		flags    []string
	}{
		"as it is":                 {"https://mcp.example.dev/mcp", "https://mcp.example.dev/mcp", nil},
		"empty path":               {"https://mcp.example.dev", "https://mcp.example.dev/", nil},
		"scheme and host in caps":  {"HTTPS://MCP.Example.dev/Mcp", "https://mcp.example.dev/Mcp", []string{FlagHostCase, FlagScheme}},
		"http is not https":        {"http://mcp.example.dev/", "http://mcp.example.dev/", nil},
		"default port":             {"https://mcp.example.dev:443/mcp", "https://mcp.example.dev/mcp", []string{FlagDefaultPort}},
		"default port of http":     {"http://mcp.example.dev:80/mcp", "http://mcp.example.dev/mcp", []string{FlagDefaultPort}},
		"port of the other scheme": {"http://mcp.example.dev:443/mcp", "http://mcp.example.dev:443/mcp", nil},
		"port with zeros":          {"https://mcp.example.dev:08443/mcp", "https://mcp.example.dev:8443/mcp", []string{FlagPortForm}},
		"empty port":               {"https://mcp.example.dev:/mcp", "https://mcp.example.dev/mcp", []string{FlagPortForm}},
		"trailing slash stays":     {"https://mcp.example.dev/mcp/", "https://mcp.example.dev/mcp/", nil},
		"double slash stays":       {"https://mcp.example.dev//mcp//x", "https://mcp.example.dev//mcp//x", nil},
		"dot segments":             {"https://mcp.example.dev/a/./b/../c/%2E%2e/mcp", "https://mcp.example.dev/a/mcp", []string{FlagPath}},
		"dot segments at the end":  {"https://mcp.example.dev/a/b/..", "https://mcp.example.dev/a/", []string{FlagPath}},
		"escapes":                  {"https://mcp.example.dev/%7euser/%2fmcp/%c3%a4", "https://mcp.example.dev/~user/%2Fmcp/%C3%A4", []string{FlagPath}},
		"bytes beyond ASCII":       {"https://mcp.example.dev/ä b", "https://mcp.example.dev/%C3%A4%20b", nil},
		"query stays":              {"https://mcp.example.dev/mcp?b=2&a=1&&x=%7e", "https://mcp.example.dev/mcp?b=2&a=1&&x=%7e", nil},
		"bare query stays":         {"https://mcp.example.dev/mcp?", "https://mcp.example.dev/mcp?", nil},
		"query beyond ASCII":       {"https://mcp.example.dev/mcp?q=ä b\"", "https://mcp.example.dev/mcp?q=%C3%A4%20b%22", []string{FlagQuery}},
		"secret in the query":      {"https://mcp.example.dev/mcp?api_key=1", "https://mcp.example.dev/mcp?api_key=1", []string{FlagSecretQuery}},
		"fragment":                 {"https://mcp.example.dev/mcp#tools", "https://mcp.example.dev/mcp", []string{FlagFragment}},
		"userinfo":                 {"https://user:pw@mcp.example.dev/mcp", "https://mcp.example.dev/mcp", []string{FlagUserinfo}},
		"white space":              {" \thttps://mcp.example.dev/mcp\n", "https://mcp.example.dev/mcp", []string{FlagWhiteSpace}},
		"trailing dot":             {"https://mcp.example.dev./mcp", "https://mcp.example.dev/mcp", []string{FlagTrailingDot}},
		"IDNA":                     {"https://Bücher.example.dev/", "https://xn--bcher-kva.example.dev/", []string{FlagIDNA, FlagPunycode}},
		"IDNA full width":          {"https://ｍｃｐ。example.dev/", "https://mcp.example.dev/", []string{FlagIDNA}},
		"IDNA refuses":             {"https://my_host.example.dev/", "https://my_host.example.dev/", []string{FlagIDNAFailed}},
		"punycode":                 {"https://xn--bcher-kva.example.dev/", "https://xn--bcher-kva.example.dev/", []string{FlagPunycode}},
		"address":                  {"https://10.0.0.5/mcp", "https://10.0.0.5/mcp", []string{FlagAddress}},
		"address by IDNA":          {"https://１０.0.0.5/mcp", "https://10.0.0.5/mcp", []string{FlagIDNA, FlagAddress}},
		"address of 16 bytes":      {"https://[2001:0DB8::0:1]:8443/mcp", "https://[2001:db8::1]:8443/mcp", []string{FlagAddress}},
		"address with a zone":      {"https://[fe80::1%25eth0]/mcp", "https://[fe80::1%25eth0]/mcp", []string{FlagAddress}},
		"number as host":           {"http://2130706433/mcp", "http://2130706433/mcp", []string{FlagNumericHost}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Canonical(tt.raw, "com.example/a")
			if e.Class != Plain || e.Key != tt.key || e.Raw != tt.raw {
				t.Errorf("class %s, key %q, want %q", e.Class, e.Key, tt.key)
			}
			if diff := cmp.Diff(tt.flags, e.Flags); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCanonicalParts(t *testing.T) {
	t.Parallel()
	e := Canonical("https://A.B.example.co.uk:8443/mcp/?b=2&a=1&b=3", "x/y")
	want := Endpoint{
		Raw: "https://A.B.example.co.uk:8443/mcp/?b=2&a=1&b=3", Class: Plain, Key: "https://a.b.example.co.uk:8443/mcp/?b=2&a=1&b=3",
		E2: "https://a.b.example.co.uk:8443/mcp?b=2&a=1&b=3", E3: "a.b.example.co.uk:8443/mcp", Scheme: "https", Host: "a.b.example.co.uk", Port: "8443",
		Path: "/mcp/", HasQuery: true, QueryNames: []string{"a", "b"}, Domain: "example.co.uk", HostClass: Public, Flags: []string{FlagHostCase},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	for host, domain := range map[string]string{
		"foo.bar.workers.dev": "bar.workers.dev", "x.vercel.app": "x.vercel.app", "vercel.app": "vercel.app", "a.example.com.au": "example.com.au",
		"10.0.0.5": "10.0.0.5", "mcp": "mcp", "a.b.unknown-tld": "b.unknown-tld",
	} {
		if got := Canonical("https://"+host+"/", "x/y").Domain; got != domain {
			t.Errorf("%s belongs to %s, want %s", host, got, domain)
		}
	}
}

func TestCanonicalInvalid(t *testing.T) {
	t.Parallel()
	for raw, fault := range map[string]Fault{
		"": FaultEmpty, "  ": FaultEmpty, "mcp.example.dev/mcp": FaultScheme, "ftp://example.org/mcp": FaultScheme, "/mcp": FaultScheme, "stdio": FaultScheme,
		"https:mcp.example.dev": FaultHost, "https://": FaultHost, "https:///mcp": FaultHost, "https://:8443/mcp": FaultHost, "https://./": FaultHost,
		"https://example.org:99999/mcp": FaultPort, "https://example.org:0/mcp": FaultPort, "https://example.org:http/mcp": FaultPort,
		"https://user:pw@example.org:x/mcp": FaultPort,
		"https://exa mple.org/mcp":          FaultSyntax, "https://example.org/%zz": FaultSyntax, "https://[::1/mcp": FaultSyntax, "https://example.org/\x00": FaultSyntax,
		"https://<your-host>/mcp": FaultHost, "https://a..b/": FaultHost, "https://a*b.dev/": FaultHost, "https://" + strings.Repeat("a", 64) + ".dev/": FaultHost, "://": FaultSyntax,
	} {
		e := Canonical(raw, "com.example/a")
		if e.Class != Invalid || e.Fault != fault || e.Key != strings.TrimSpace(raw) || e.Raw != raw || e.Host != "" {
			t.Errorf("%q: class %s, fault %q, want %q", raw, e.Class, e.Fault, fault)
		}
	}
}

func TestCanonicalTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		raw, key, host string
		variables      []string
	}{
		{"https://{host}/mcp", "com.example/a https://{host}/mcp", "", []string{"host"}},
		{"https://%7Bhost%7d/mcp", "com.example/a https://{host}/mcp", "", []string{"host"}},
		{"https://MCP.example.dev/{b}/mcp?key={a}&x={b}", "com.example/a https://MCP.example.dev/{b}/mcp?key={a}&x={b}", "mcp.example.dev", []string{"a", "b"}},
		{"{baseUrl}/mcp", "com.example/a {baseUrl}/mcp", "", []string{"baseUrl"}},
		{"https://mcp.example.dev:{PORT}/", "com.example/a https://mcp.example.dev:{PORT}/", "", []string{"PORT"}},
		{"https://mcp.example.dev/{}", "com.example/a https://mcp.example.dev/{}", "mcp.example.dev", []string{""}},
	}
	for _, tt := range tests {
		e := Canonical(tt.raw, "com.example/a")
		if e.Class != Template || e.Key != tt.key || e.Host != tt.host || !slices.Equal(e.Variables, tt.variables) {
			t.Errorf("%q: class %s, key %q, host %q, variables %q", tt.raw, e.Class, e.Key, e.Host, e.Variables)
		}
		if other := Canonical(tt.raw, "com.example/b"); other.Key == e.Key {
			t.Errorf("%q is one endpoint for two names", tt.raw)
		}
	}
	if e := Canonical("https://mcp.example.dev/a{b", "x/y"); e.Class != Plain || e.Key != "https://mcp.example.dev/a%7Bb" {
		t.Errorf("a lone brace: %s %s", e.Class, e.Key)
	}
}

func TestHostClass(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]HostClass{
		"mcp.dev": Public, "a_b.example.dev": Public, "8.8.8.8": Public, "[2606:4700::1111]": Public, "your-business.dev": Public, "1.2.3.4.nip.io": Public,
		"localhost": Loopback, "mcp.localhost": Loopback, "LOCALHOST.": Loopback, "127.0.0.1": Loopback, "127.255.0.9": Loopback, "[::1]": Loopback,
		"[::ffff:127.0.0.1]": Loopback, "2130706433": Loopback, "0177.0.0.1": Loopback, "127.1": Loopback, "0x7f000001": Loopback, "0x7f.1": Loopback,
		"10.0.0.5": Private, "192.168.1.9": Private, "172.16.0.1": Private, "100.64.0.9": Private, "[fd00::1]": Private, "3232235777": Private,
		"169.254.169.254": LinkLocal, "[fe80::1]": LinkLocal, "[fe80::1%25eth0]": LinkLocal,
		"0.0.0.0": Reserved, "255.255.255.255": Reserved, "224.0.0.1": Reserved, "192.0.2.1": Reserved, "198.18.0.1": Reserved, "[::]": Reserved,
		"[ff02::1]": Reserved, "[2001:db8::1]": Reserved, "[2002:7f00:1::]": Reserved, "0": Reserved,
		"134744072": InvalidHost, "1.2.3": InvalidHost, "1.2.3.4.5": InvalidHost, "999.1.1.1": InvalidHost, "08.8.8.8": InvalidHost,
		"a.123": InvalidHost, "-": SingleLabel,
		"mcp": SingleLabel, "intranet.": SingleLabel,
		"a.test": SpecialUse, "test": SpecialUse, "x.local": SpecialUse, "x.internal": SpecialUse, "x.home.arpa": SpecialUse, "x.onion": SpecialUse, "x.example": SpecialUse,
		"example.com": Placeholder, "a.example.org": Placeholder, "your-host.mcp.dev": Placeholder, "x.your-tenant.mcp.dev": Placeholder, "mcp.yourdomain.com": Placeholder,
	} {
		e := Canonical("https://"+host+"/mcp", "com.example/a")
		if e.Class != Plain || e.HostClass != want {
			t.Errorf("%s: %s %s, want %s", host, e.Class, e.HostClass, want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, raw := range []string{
		"https://mcp.example.dev/mcp", "HTTPS://U:p@Ex.dev.:443/a/../%7e//?q=ä#f", "https://{host}/%7Bx%7D", "http://[fe80::1%25e%20]:80/", "https://１２７。１/", "ftp://x", " http://a\t",
		"https://xn--a/", "https://a_b.dev:0008443/?", "http://%C3%A4.dev/", "http://0x7f.1/..", "https://h/a{b?}c", "https://h/%25%37%42x%7D", "https://ß.de/", "https://\u00ad/",
	} {
		f.Add(raw, "com.example/a")
	}
	f.Fuzz(func(t *testing.T, raw, name string) {
		e := Canonical(raw, name)
		if e.Raw != raw || !slices.IsSorted(e.Flags) {
			t.Fatalf("%q became %q, flags %q", raw, e.Raw, e.Flags)
		}
		if e.Class != Plain {
			return
		}
		u, err := url.Parse(e.Key)
		if err != nil || u.User != nil || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			t.Fatalf("%q has key %q, which cannot be requested: %v", raw, e.Key, err)
		}
		if !isASCII(e.Key) || strings.ContainsAny(e.Key, " \t\r\n{}\"<>#") {
			t.Fatalf("%q has key %q", raw, e.Key)
		}
		if path := u.EscapedPath(); path != e.Path {
			t.Fatalf("%q: path %q would be requested as %q", raw, e.Path, path)
		}
		again := Canonical(e.Key, "other/name")
		if again.Class != Plain || again.Key != e.Key || again.E2 != e.E2 || again.E3 != e.E3 || again.HostClass != e.HostClass || again.Domain != e.Domain {
			t.Fatalf("%q has key %q, which has key %q (%s %s)", raw, e.Key, again.Key, again.HostClass, e.HostClass)
		}
	})
}
