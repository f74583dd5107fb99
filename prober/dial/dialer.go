package dial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// DefaultConnectTimeout bounds connecting to a host, over all its addresses.
const DefaultConnectTimeout = 5 * time.Second

// maxAddresses is how many addresses of one host are tried.
const maxAddresses = 4

// Dialer connects to the hosts that its policy admits. It is safe for concurrent use.
type Dialer struct {
	Policy   Policy
	Resolver *Resolver
	// Timeout bounds one connection; 0 stands for DefaultConnectTimeout.
	Timeout time.Duration
}

// DialContext connects to the first address of the host that answers among those that the policy admits. It returns a
// *RefusedError when there is none of these. It never uses a proxy.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("split the address to dial: %w", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &RefusedError{Host: host, Rule: "no port number"}
	}
	addrs, err := d.Resolver.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	admitted, err := d.admitted(host, addrs, uint16(port))
	if err != nil {
		return nil, err
	}
	return d.dialFirst(ctx, network, host, admitted)
}

// admitted returns the addresses that may be dialled, or the first refusal when there is none.
func (d *Dialer) admitted(host string, addrs []netip.Addr, port uint16) ([]netip.AddrPort, error) {
	var admitted []netip.AddrPort
	var refusal error
	for _, addr := range addrs {
		switch err := d.Policy.Check(host, addr, port); {
		case err != nil && refusal == nil:
			refusal = err
		case err == nil && len(admitted) < maxAddresses:
			admitted = append(admitted, netip.AddrPortFrom(addr, port))
		}
	}
	if len(admitted) == 0 {
		return nil, refusal
	}
	return admitted, nil
}

// dialFirst tries one address after the other, each with its share of the time that is left, and returns the first
// error when all fail.
func (d *Dialer) dialFirst(ctx context.Context, network, host string, addrs []netip.AddrPort) (net.Conn, error) {
	timeout := d.Timeout
	if timeout == 0 {
		timeout = DefaultConnectTimeout
	}
	end := time.Now().Add(timeout)
	var first error
	for i, addr := range addrs {
		one := net.Dialer{
			Timeout: max(time.Until(end)/time.Duration(len(addrs)-i), time.Millisecond),
			// Once more, on the very address that the kernel is about to connect to.
			ControlContext: func(_ context.Context, _, dialled string, _ syscall.RawConn) error {
				return d.checkDialled(host, dialled)
			},
		}
		conn, err := one.DialContext(ctx, network, addr.String())
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

func (d *Dialer) checkDialled(host, dialled string) error {
	addr, err := netip.ParseAddrPort(dialled)
	if err != nil {
		return &RefusedError{Host: host, Rule: "not an address"}
	}
	return d.Policy.Check(host, addr.Addr(), addr.Port())
}
