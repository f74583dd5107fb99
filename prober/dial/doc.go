// Package dial decides whom the census connects to, and connects.
//
// Nothing that a registry, a name server or a web server says is trusted here. A host is resolved once a run by
// [Resolver]; every address is judged by [Policy] against the special-purpose registries of IANA, and judged again on
// the socket just before it connects, so that no answer that changes in between and no redirect leads into a private
// network. Proxies are never used, since they would move the connection away from that check. [Follow] says which
// redirects may be followed; [Classify] names what went wrong in the closed vocabulary of package wire.
package dial
