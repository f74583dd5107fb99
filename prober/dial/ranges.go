package dial

import (
	"fmt"
	"net/netip"
)

// Range is one block of addresses with a special purpose.
type Range struct {
	Prefix netip.Prefix
	Name   string // as in the registry
	Source string // the document that set it aside
	// Local: hosts of the own machine or site live here, and AllowPrivate admits them.
	Local bool
	// Carries: the last four bytes are an IPv4 address, and the range is as good as that.
	Carries bool
}

// String names the range for a refusal.
func (r Range) String() string { return fmt.Sprintf("%s, %s (%s)", r.Prefix, r.Name, r.Source) }

// ranges holds every entry of the IANA IPv4 and IPv6 Special-Purpose Address Registries, and what is set aside
// elsewhere: multicast, the IPv6 blocks that RFC 4291 withdrew, and everything outside the one block from which IPv6
// unicast addresses are given out. No MCP server has a reason to live in any of them, also not in the few that are
// globally reachable (anycast for relays), so all are refused. The first match wins: narrow before wide.
//
// IPv4 addresses inside IPv6 ones: the mapped form is how IPv4 sockets show and 64:ff9b::/96 is how networks without
// IPv4 reach all of it, so these two are judged by the address inside. The others (6to4, Teredo, compatible, local
// translation) are out of use on the public internet and a way around a check, so they are refused whatever is inside.
var ranges = []Range{
	special("0.0.0.0/32", "This host on this network", "RFC 1122 §3.2.1.3"),
	special("0.0.0.0/8", "This network", "RFC 791 §3.2"),
	local("10.0.0.0/8", "Private-Use", "RFC 1918"),
	local("100.64.0.0/10", "Shared Address Space", "RFC 6598"),
	local("127.0.0.0/8", "Loopback", "RFC 1122 §3.2.1.3"),
	local("169.254.0.0/16", "Link Local", "RFC 3927"),
	local("172.16.0.0/12", "Private-Use", "RFC 1918"),
	special("192.0.0.0/29", "IPv4 Service Continuity Prefix", "RFC 7335"),
	special("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
	special("192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723"),
	special("192.0.0.10/32", "Traversal Using Relays around NAT Anycast", "RFC 8155"),
	special("192.0.0.170/32", "NAT64/DNS64 Discovery", "RFC 8880"),
	special("192.0.0.171/32", "NAT64/DNS64 Discovery", "RFC 8880"),
	special("192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890 §2.1"),
	special("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737"),
	special("192.31.196.0/24", "AS112-v4", "RFC 7535"),
	special("192.52.193.0/24", "AMT", "RFC 7450"),
	special("192.88.99.2/32", "6a44-relay anycast address", "RFC 6751"),
	special("192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526"),
	local("192.168.0.0/16", "Private-Use", "RFC 1918"),
	special("192.175.48.0/24", "Direct Delegation AS112 Service", "RFC 7534"),
	special("198.18.0.0/15", "Benchmarking", "RFC 2544"),
	special("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737"),
	special("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737"),
	special("224.0.0.0/4", "Multicast", "RFC 5771"),
	special("255.255.255.255/32", "Limited Broadcast", "RFC 919 §7"),
	special("240.0.0.0/4", "Reserved", "RFC 1112 §4"),

	special("::/128", "Unspecified Address", "RFC 4291"),
	local("::1/128", "Loopback Address", "RFC 4291"),
	carrier("::ffff:0:0/96", "IPv4-mapped Address", "RFC 4291"),
	special("::/96", "IPv4-compatible Address, deprecated", "RFC 4291 §2.5.5.1"),
	carrier("64:ff9b::/96", "IPv4-IPv6 Translation", "RFC 6052"),
	special("64:ff9b:1::/48", "IPv4-IPv6 Translation, local use", "RFC 8215"),
	special("100::/64", "Discard-Only Address Block", "RFC 6666"),
	special("100:0:0:1::/64", "Dummy IPv6 Prefix", "RFC 9780"),
	special("2001::/32", "TEREDO", "RFC 4380"),
	special("2001:1::1/128", "Port Control Protocol Anycast", "RFC 7723"),
	special("2001:1::2/128", "Traversal Using Relays around NAT Anycast", "RFC 8155"),
	special("2001:1::3/128", "DNS-SD Service Registration Protocol Anycast", "RFC 9665"),
	special("2001:2::/48", "Benchmarking", "RFC 5180"),
	special("2001:3::/32", "AMT", "RFC 7450"),
	special("2001:4:112::/48", "AS112-v6", "RFC 7535"),
	special("2001:10::/28", "Deprecated (previously ORCHID)", "RFC 4843"),
	special("2001:20::/28", "ORCHIDv2", "RFC 7343"),
	special("2001:30::/28", "Drone Remote ID Protocol Entity Tags Prefix", "RFC 9374"),
	special("2001::/23", "IETF Protocol Assignments", "RFC 2928"),
	special("2001:db8::/32", "Documentation", "RFC 3849"),
	special("2002::/16", "6to4", "RFC 3056"),
	special("2620:4f:8000::/48", "Direct Delegation AS112 Service", "RFC 7534"),
	special("3fff::/20", "Documentation", "RFC 9637"),
	special("5f00::/16", "Segment Routing (SRv6) SIDs", "RFC 9602"),
	local("fc00::/7", "Unique-Local", "RFC 4193"),
	local("fe80::/10", "Link-Local Unicast", "RFC 4291"),
	special("fec0::/10", "Site-Local, deprecated", "RFC 3879"),
	special("ff00::/8", "Multicast", "RFC 4291 §2.7"),
	special("::/3", "outside the global unicast block", "RFC 4291 §2.4"),
	special("4000::/2", "outside the global unicast block", "RFC 4291 §2.4"),
	special("8000::/1", "outside the global unicast block", "RFC 4291 §2.4"),
}

func special(prefix, name, source string) Range {
	return Range{Prefix: netip.MustParsePrefix(prefix), Name: name, Source: source}
}

func local(prefix, name, source string) Range {
	r := special(prefix, name, source)
	r.Local = true
	return r
}

func carrier(prefix, name, source string) Range {
	r := special(prefix, name, source)
	r.Carries = true
	return r
}

// find returns the first range that holds the address.
func find(addr netip.Addr) (Range, bool) {
	for _, r := range ranges {
		if r.Prefix.Contains(addr) {
			return r, true
		}
	}
	return Range{}, false
}

// inner returns the IPv4 address in the last four bytes.
func inner(addr netip.Addr) netip.Addr {
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}
