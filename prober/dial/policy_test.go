package dial

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPolicyRefuses(t *testing.T) {
	t.Parallel()
	for address, part := range map[string]string{
		"127.0.0.1": "Loopback", "127.255.255.254": "Loopback", "::1": "Loopback", "::ffff:127.0.0.1": "Loopback",
		"169.254.169.254": "Link Local", "100.100.100.200": "Shared", "100.64.0.9": "Shared", "0.0.0.0": "This host", "0.1.2.3": "This network",
		"::": "Unspecified", "10.0.0.8": "Private-Use", "172.31.255.255": "Private-Use", "192.168.1.9": "Private-Use",
		"fd00:ec2::254": "Unique-Local", "fe80::1": "Link-Local", "64:ff9b::a9fe:a9fe": "Link Local", "64:ff9b::7f00:1": "Loopback",
		"64:ff9b:1::808:808": "local use", "2002:7f00:1::": "6to4", "2002:808:808::1": "6to4", "2001::808:808": "TEREDO", "::8.8.8.8": "compatible",
		"192.0.0.192": "IETF", "192.0.0.170": "NAT64", "224.0.0.1": "Multicast", "240.0.0.1": "Reserved", "255.255.255.255": "Broadcast",
		"192.0.2.1": "TEST-NET-1", "198.51.100.7": "TEST-NET-2", "203.0.113.9": "TEST-NET-3", "198.19.0.1": "Benchmarking",
		"2001:db8::1": "Documentation", "3fff::1": "Documentation", "5f00::1": "Segment", "ff02::1": "Multicast", "fec0::1": "Site-Local",
		"100::1": "Discard", "2001:20::1": "ORCHIDv2", "2001:1::9": "IETF Protocol", "4000::1": "global unicast", "9000::1": "global unicast", "200::1": "global unicast",
		"fe80::1%eth0": "zone", "2606:4700::1%1": "zone",
	} {
		err := Policy{}.Check("host.example", netip.MustParseAddr(address), 443)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Rule, part) {
			t.Errorf("%s: got %v, want a refusal with %q", address, err, part)
		}
	}
}

func TestPolicyFor(t *testing.T) {
	t.Parallel()
	for text, port := range map[string]uint16{"http://a.example": 0, "http://a.example:8080/mcp": 8080, "http://a.example:70000": 0} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := PolicyFor(u, true), (Policy{AllowPrivate: true, Port: port}); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestPolicyAdmits(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111", "2001:4860::8", "172.32.0.1", "100.128.0.1", "192.0.1.1"} {
		if err := (Policy{}).Check("host.example", netip.MustParseAddr(address), 443); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPolicyAllowPrivate(t *testing.T) {
	t.Parallel()
	p := Policy{AllowPrivate: true}
	for address, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "::ffff:10.0.0.1": true, "169.254.1.1": true, "fd00::1": true, "fe80::1": true, "100.64.0.1": true,
		"0.0.0.0": false, "::": false, "224.0.0.1": false, "192.0.2.1": false, "2002:7f00:1::": false, "240.0.0.1": false,
	} {
		if got := p.Check("host.example", netip.MustParseAddr(address), 80) == nil; got != want {
			t.Errorf("%s: admitted %v, want %v", address, got, want)
		}
	}
}

func TestPolicyPorts(t *testing.T) {
	t.Parallel()
	public := netip.MustParseAddr("8.8.8.8")
	for _, c := range []struct {
		declared, port uint16
		want           bool
	}{{0, 80, true}, {0, 443, true}, {0, 8080, false}, {8080, 8080, true}, {8080, 443, true}, {8080, 22, false}, {0, 0, false}} {
		if got := (Policy{Port: c.declared}).Check("host.example", public, c.port) == nil; got != c.want {
			t.Errorf("declared %d, port %d: admitted %v, want %v", c.declared, c.port, got, c.want)
		}
	}
}

// Every range of the table is refused at both its ends, whichever earlier range answers for it.
func TestRangesAreRefused(t *testing.T) {
	t.Parallel()
	for _, r := range ranges {
		if r.Prefix != r.Prefix.Masked() {
			t.Errorf("%s has bits behind its length", r.Prefix)
		}
		if r.Carries {
			continue
		}
		for _, addr := range []netip.Addr{r.Prefix.Addr(), last(r.Prefix)} {
			if (Policy{}).Check("host.example", addr, 443) == nil {
				t.Errorf("%s of %s is admitted", addr, r)
			}
		}
	}
}

func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{"8.8.8.8", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002::", "fe80::1%x", "2606::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return
		}
		admitted := Policy{}.Check("host", addr, 443) == nil
		plain := addr.Unmap()
		if admitted && (plain.IsPrivate() || plain.IsLoopback() || plain.IsMulticast() || plain.IsUnspecified() || plain.IsLinkLocalUnicast()) {
			t.Errorf("%s is admitted", addr)
		}
	})
}
