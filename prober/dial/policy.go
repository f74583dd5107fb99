package dial

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
)

// Policy decides which addresses and ports the census connects to.
type Policy struct {
	// AllowPrivate admits loopback, private, shared, unique-local and link-local addresses: for tests, and for
	// operators who census their own network.
	AllowPrivate bool
	// Port is admitted beside 80 and 443: the one that the registry declares for the target. 0 means none.
	Port uint16
}

// PolicyFor returns the policy for one target: the port of its URL is admitted beside 80 and 443.
func PolicyFor(u *url.URL, allowPrivate bool) Policy {
	policy := Policy{AllowPrivate: allowPrivate}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		policy.Port = uint16(port)
	}
	return policy
}

// RefusedError says that a connection was not tried, and by which rule.
type RefusedError struct {
	Host string     // as asked for
	Addr netip.Addr // the address that the rule is about; the zero Addr when the host itself is refused
	Rule string
}

// Error names the rule.
func (e *RefusedError) Error() string {
	if !e.Addr.IsValid() || e.Host == e.Addr.String() {
		return fmt.Sprintf("refused by policy: %q: %s", e.Host, e.Rule)
	}
	return fmt.Sprintf("refused by policy: %q is %s: %s", e.Host, e.Addr, e.Rule)
}

// Check returns a *RefusedError unless the census may connect to that address and port. host is only for the message.
func (p Policy) Check(host string, addr netip.Addr, port uint16) error {
	if rule := p.rule(addr, port); rule != "" {
		return &RefusedError{Host: host, Addr: addr, Rule: rule}
	}
	return nil
}

// rule returns the rule that forbids the connection, or "".
func (p Policy) rule(addr netip.Addr, port uint16) string {
	switch {
	case !addr.IsValid():
		return "not an address"
	case addr.Zone() != "":
		return "an address with a zone belongs to one machine (RFC 4007 §11)"
	case !p.allowsPort(port):
		return fmt.Sprintf("port %d is neither 80, 443 nor the declared one", port)
	}
	r, special := find(addr)
	switch {
	case !special, r.Local && p.AllowPrivate:
		return ""
	case r.Carries:
		return p.rule(inner(addr), port)
	}
	return r.String()
}

func (p Policy) allowsPort(port uint16) bool {
	return port == 80 || port == 443 || port != 0 && port == p.Port
}
