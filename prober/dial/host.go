package dial

import (
	"net/netip"
	"strings"
)

// parseHost sorts a host into an address (valid) or a name to resolve, in lower case and without the final dot.
//
// What only looks like a name is refused: resolvers and browsers read 2130706433, 0177.0.0.1, 127.1 and 0x7f.1 as
// 127.0.0.1, so a host whose last label is a number (WHATWG URL, "ends in a number checker") must be a plain dotted
// quad. A final dot is fine behind a name, never behind an address.
func parseHost(host string) (netip.Addr, string, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr, "", nil // a zone is for the policy to refuse
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case name == "":
		return netip.Addr{}, "", refuseHost(host, "no host")
	case len(name) > 253:
		return netip.Addr{}, "", refuseHost(host, "longer than a name can be (RFC 1035 §2.3.4)")
	case strings.ContainsFunc(name, func(c rune) bool { return !nameChar(c) }):
		return netip.Addr{}, "", refuseHost(host, "neither a name nor an address")
	case strings.HasPrefix(name, ".") || strings.Contains(name, ".."):
		return netip.Addr{}, "", refuseHost(host, "an empty label (RFC 1035 §2.3.1)")
	case numeric(name[strings.LastIndexByte(name, '.')+1:]):
		return netip.Addr{}, "", refuseHost(host, "an address that is not written as a dotted quad")
	}
	return netip.Addr{}, name, nil
}

func refuseHost(host, rule string) error { return &RefusedError{Host: host, Rule: rule} }

// nameChar admits the letters of host names and the underscore, which some real hosts have.
func nameChar(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}

// numeric says whether a label is a number in decimal, octal or hexadecimal.
func numeric(label string) bool {
	digits := "0123456789"
	if rest, hex := strings.CutPrefix(label, "0x"); hex {
		label, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(label, digits) == ""
}
