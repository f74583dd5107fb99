package target

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/dial"
)

// HostClass is what a host is, as far as its text tells. What its name resolves to is judged again when it is dialled.
type HostClass string

// The classes of hosts. Only public ones are visited, unless the operator of the census allows others.
const (
	Public      HostClass = "public"
	Private     HostClass = "private"      // addresses of a site
	Loopback    HostClass = "loopback"     // this machine, also by the name localhost
	LinkLocal   HostClass = "link_local"   // also the metadata services of clouds
	Reserved    HostClass = "reserved"     // any other address with a special purpose
	SingleLabel HostClass = "single_label" // a name without a dot
	SpecialUse  HostClass = "special_use"  // a name below a domain that is never delegated
	Placeholder HostClass = "placeholder"  // a name that stands for another, such as example.com
	InvalidHost HostClass = "invalid_host" // a number that is no address in the usual form
)

// classifyAddr names the class of an address. Whether it is public is for the one table in package dial to say.
func classifyAddr(addr netip.Addr) HostClass {
	if addressRule(addr, false) == "" {
		return Public
	}
	addr = addr.Unmap()
	switch {
	case addr.IsLoopback():
		return Loopback
	case addr.IsLinkLocalUnicast():
		return LinkLocal
	case addr.IsPrivate() || sharedSpace.Contains(addr):
		return Private
	}
	return Reserved
}

// sharedSpace is the address space of carriers (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// addressRule returns the rule by which the census does not connect to an address, or "".
func addressRule(addr netip.Addr, allowPrivate bool) string {
	err := dial.Policy{AllowPrivate: allowPrivate}.Check(addr.String(), addr, 443)
	if refused, ok := errors.AsType[*dial.RefusedError](err); ok {
		return refused.Rule
	}
	return ""
}

// specialUse are the domains that are not, and will not be, in the public DNS.
var specialUse = map[string]string{
	"test":      "RFC 6761 §6.2",
	"invalid":   "RFC 6761 §6.4",
	"example":   "RFC 6761 §6.5",
	"local":     "RFC 6762",
	"onion":     "RFC 7686",
	"alt":       "RFC 9476",
	"internal":  "ICANN resolution 2024.07.29.06",
	"home.arpa": "RFC 8375",
}

// placeholders are domains that documents use for any other (RFC 6761 §6.5, RFC 2606 §3), and what authors of
// documents made up after them.
var placeholders = []string{
	"example.com", "example.net", "example.org", "yourdomain.com", "your-domain.com", "your-server.com", "your-company.com", "yourcompany.com",
}

// placeholderLabel is how a label begins that somebody was to replace.
const placeholderLabel = "your-"

// classifyName names the class of a host name in lower case.
func classifyName(name string) HostClass {
	if addr, numeric := numericAddress(name); numeric {
		if addr.IsValid() && classifyAddr(addr) != Public {
			return classifyAddr(addr)
		}
		return InvalidHost
	}
	switch {
	case below(name, "localhost"):
		return Loopback
	case nameRule(name) != "":
		if _, special := specialDomain(name); special {
			return SpecialUse
		}
		return Placeholder
	case !strings.Contains(name, "."):
		return SingleLabel
	}
	return Public
}

// nameRule returns why a name is not looked up, or "".
func nameRule(name string) string {
	if domain, special := specialDomain(name); special {
		return "." + domain + " (" + specialUse[domain] + ")"
	}
	for _, domain := range placeholders {
		if below(name, domain) {
			return "placeholder " + domain
		}
	}
	// The registrable part is left out: somebody may have registered your-something.
	labels := strings.TrimSuffix(name, registrable(name))
	if strings.HasPrefix(labels, placeholderLabel) || strings.Contains(labels, "."+placeholderLabel) {
		return "placeholder " + placeholderLabel + "…"
	}
	return ""
}

func specialDomain(name string) (string, bool) {
	for domain := range specialUse {
		if below(name, domain) {
			return domain, true
		}
	}
	return "", false
}

// below says whether a name is a domain or lies below it.
func below(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }

// isHostName admits the characters of host names and the underscore, which some real hosts have, within the lengths of
// RFC 1035 §2.3.4.
func isHostName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// numericAddress recognises a host that ends in a number but is no address in the usual form: the WHATWG URL standard and
// the C library read 2130706433, 0177.0.0.1, 127.1 and 0x7f000001 as 127.0.0.1. The address is that reading, or
// invalid when there is none.
func numericAddress(name string) (addr netip.Addr, numeric bool) {
	labels := strings.Split(name, ".")
	if _, ok := number(labels[len(labels)-1]); !ok {
		return netip.Addr{}, false
	}
	if len(labels) > 4 {
		return netip.Addr{}, true
	}
	var value uint64
	for i, label := range labels {
		n, ok := number(label)
		rest := 4 - i // bytes that the last label may fill
		last := i == len(labels)-1
		if !ok || !last && n > 255 || last && n >= 1<<(8*rest) {
			return netip.Addr{}, true
		}
		if last {
			value = value<<(8*rest) | n
		} else {
			value = value<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// number reads decimal, octal (leading 0) or hexadecimal (0x). Digits that make no such number still are a number, too
// large for any address.
func number(label string) (uint64, bool) {
	base, digits := 10, label
	switch {
	case strings.HasPrefix(label, "0x"):
		base, digits = 16, label[2:]
	case len(label) > 1 && label[0] == '0':
		base, digits = 8, label[1:]
	}
	allowed := "0123456789"
	if base == 16 {
		allowed += "abcdef"
	}
	if label == "" || strings.Trim(digits, allowed) != "" {
		return 0, false
	}
	if digits == "" { // "0x" is 0 to some readers
		return 0, true
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return 1 << 40, true
	}
	return n, true
}
