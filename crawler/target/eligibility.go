package target

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

// Reason is why a target is not visited. The list is closed, and the first that applies, in this order, is given: what
// the registry says of the rows, what their owners wish, what is wrong with the URL, and whom the census never calls.
type Reason string

// The reasons.
const (
	Eligible             Reason = ""                      // it may be visited
	Withdrawn            Reason = "withdrawn"             // only deleted rows declare it
	DeprecatedOnly       Reason = "deprecated"            // of the latest rows only deprecated ones declare it
	Superseded           Reason = "superseded"            // only rows that are not the latest declare it
	OptedOut             Reason = "opt_out"               // somebody asked not to be visited
	UnsupportedScheme    Reason = "unsupported_scheme"    // neither http nor https
	InvalidURL           Reason = "invalid_url"           // no URL, or no usable host or port in it
	TemplateNeedsConfig  Reason = "template_needs_config" // a variable without a value, a default or a few choices
	PrivateAddress       Reason = "private_address"       // an address of a site, a machine or a special purpose
	SingleLabelHost      Reason = "single_label_host"     // a name without a dot, which only a site can resolve
	SpecialUseName       Reason = "special_use_name"      // a name below a domain that is never delegated
	PlaceholderHost      Reason = "placeholder_host"      // a name that stands for another, such as example.com
	PortNotAllowed       Reason = "port_not_allowed"      // a port of another protocol that could take the request for its own
	UnsupportedTransport Reason = "unsupported_transport" // every declared transport type is unknown
)

// Reasons returns all reasons, in the order in which they are tried.
func Reasons() []Reason {
	return []Reason{
		Withdrawn, DeprecatedOnly, Superseded, OptedOut, UnsupportedScheme, InvalidURL, TemplateNeedsConfig, PrivateAddress, SingleLabelHost, SpecialUseName,
		PlaceholderHost, PortNotAllowed, UnsupportedTransport,
	}
}

// OptOut is a list of those who do not want to be visited.
type OptOut interface {
	// Match returns the first rule that covers a target: its host, its URL, or one of the names that declare it.
	Match(host, url string, names []string) (rule string, ok bool)
}

// urlReason returns why the URL itself rules a visit out, and the rule behind it. allowPrivate admits the hosts of a
// site: private addresses, and names that are not public. It never admits hosts that are neither name nor address.
func urlReason(e *Endpoint, allowPrivate bool) (Reason, string) {
	switch e.Class {
	case Invalid:
		if e.Fault == FaultScheme {
			return UnsupportedScheme, e.Scheme
		}
		return InvalidURL, string(e.Fault)
	case Template:
		return TemplateNeedsConfig, ""
	}
	if reason, rule := hostReason(e, allowPrivate); reason != Eligible {
		return reason, rule
	}
	if port, err := strconv.Atoi(e.Port); err == nil && slices.Contains(blockedPorts, port) {
		return PortNotAllowed, fmt.Sprintf("port %d (WHATWG Fetch, bad port)", port)
	}
	return Eligible, ""
}

func hostReason(e *Endpoint, allowPrivate bool) (Reason, string) {
	switch {
	case e.HostClass == Public:
		return Eligible, ""
	case e.Has(FlagNumericHost):
		if e.HostClass == InvalidHost {
			return InvalidURL, "an address that is not written as a dotted quad"
		}
		return PrivateAddress, string(e.HostClass) + ", an address that is not written as a dotted quad"
	case e.Has(FlagAddress):
		addr, err := netip.ParseAddr(e.Host)
		if err != nil {
			return InvalidURL, "neither a name nor an address"
		}
		if rule := addressRule(addr, allowPrivate); rule != "" {
			return PrivateAddress, rule
		}
		return Eligible, ""
	case allowPrivate:
		return Eligible, ""
	}
	switch e.HostClass {
	case SingleLabel:
		return SingleLabelHost, ""
	case SpecialUse:
		return SpecialUseName, nameRule(e.Host)
	case Placeholder:
		return PlaceholderHost, nameRule(e.Host)
	}
	return PrivateAddress, string(e.HostClass)
}

// blockedPorts are the bad ports of the WHATWG Fetch standard: those of protocols that could take an HTTP request for
// one of their own.
var blockedPorts = []int{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
	119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
	989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}
