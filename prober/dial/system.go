package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
)

// errFileOnly keeps a lookup in the host file from going on to the name servers.
var errFileOnly = errors.New("only the host file is asked")

// systemLookup asks the host file of this machine, and then the name servers through names.
//
// Search domains are never applied: the same name would lead elsewhere on another machine. A name with a dot is
// therefore asked for with a final dot. A name without a dot has no meaning in the public DNS; it is only found in the
// host file, which Go compares without a final dot. localhost and what is below it is this machine whatever the name
// servers say (RFC 6761 §6.3).
func systemLookup(names *net.Resolver) Lookup {
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		localhost := host == "localhost" || strings.HasSuffix(host, ".localhost")
		if !localhost && strings.Contains(host, ".") {
			return names.LookupNetIP(ctx, "ip", host+".")
		}
		addrs, err := hostFile().LookupNetIP(ctx, "ip", host)
		switch {
		case err == nil:
			return addrs, nil
		case localhost:
			return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
		}
		return nil, &net.DNSError{Err: "no such host in the host file", Name: host, IsNotFound: true}
	}
}

// hostFile returns a resolver that reaches no name server.
func hostFile() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errFileOnly }}
}
