package dial

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestParseHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host, addr, name string
		refused          bool
	}{
		{host: "example.com", name: "example.com"},
		{host: "Example.COM.", name: "example.com"},
		{host: "_mcp.example.com", name: "_mcp.example.com"},
		{host: "xn--bcher-kva.example", name: "xn--bcher-kva.example"},
		{host: "1.example.com", name: "1.example.com"},
		{host: "0xcafe.example", name: "0xcafe.example"},
		{host: "localhost", name: "localhost"},
		{host: "127.0.0.1", addr: "127.0.0.1"},
		{host: "::1", addr: "::1"},
		{host: "fe80::1%eth0", addr: "fe80::1%eth0"},
		{host: "2130706433", refused: true},
		{host: "0177.0.0.1", refused: true},
		{host: "127.1", refused: true},
		{host: "0x7f.1", refused: true},
		{host: "0x7f000001", refused: true},
		{host: "0x", refused: true},
		{host: "127.0.0.1.", refused: true},
		{host: "127.0.0.0x1", refused: true},
		{host: "example.123", refused: true},
		{host: "1.2.3.4.5", refused: true},
		{host: "", refused: true},
		{host: ".", refused: true},
		{host: "a..b", refused: true},
		{host: ".example.com", refused: true},
		{host: "example.com%eth0", refused: true},
		{host: "[::1]", refused: true},
		{host: "exa mple.com", refused: true},
		{host: "bücher.example", refused: true},
		{host: "１２７.０.０.１", refused: true},
		{host: strings.Repeat("a.", 130) + "com", refused: true},
	} {
		addr, name, err := parseHost(c.host)
		var refused *RefusedError
		if errors.As(err, &refused) != c.refused || name != c.name || c.addr != "" && addr != netip.MustParseAddr(c.addr) {
			t.Errorf("%q: got %v %q %v", c.host, addr, name, err)
		}
	}
}

func FuzzParseHost(f *testing.F) {
	for _, seed := range []string{"example.com", "127.1", "0x7f.1", "::1", "a..b", "fe80::1%eth0", "1.2.3.4."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		_, name, err := parseHost(host)
		if err != nil || name == "" {
			return
		}
		if last := name[strings.LastIndexByte(name, '.')+1:]; last == "" || strings.Trim(last, "0123456789") == "" || strings.HasSuffix(name, ".") {
			t.Errorf("%q would be resolved", name)
		}
	})
}
