package dial

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// MaxHops is how many redirects in a row are followed.
const MaxHops = 2

// RedirectError says why a redirect is recorded and not followed.
type RedirectError struct {
	Location string // as sent
	Rule     string
}

// Error names the rule.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect to %q not followed: %s", e.Location, e.Rule)
}

// IsRedirect says whether a status sends the client elsewhere (RFC 9110 §15.4).
func IsRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// Follow returns where a redirect leads, or a *RedirectError when the census does not go there: after MaxHops, when
// the method would change, on a downgrade to http, to another site (registrable domain, or address), or to a port that
// is none of 80, 443 and that of from. hop counts from 1. Whether the addresses may be dialled is checked later, by the
// Dialer.
func Follow(method string, from *url.URL, status int, location string, hop int) (*url.URL, error) {
	refuse := func(rule string) (*url.URL, error) {
		return nil, &RedirectError{Location: Printable(location), Rule: rule}
	}
	to, err := from.Parse(location)
	switch {
	case location == "":
		return refuse("no location")
	case err != nil:
		return refuse("the location is no URL")
	case hop > MaxHops:
		return refuse(fmt.Sprintf("more than %d in a row", MaxHops))
	case !keepsMethod(method, status):
		return refuse(fmt.Sprintf("status %d would turn %s into GET", status, method))
	case to.Scheme != from.Scheme && (from.Scheme != "http" || to.Scheme != "https"):
		return refuse("neither the same scheme nor https")
	case to.User != nil:
		return refuse("the location holds a user")
	case !sameSite(from.Hostname(), to.Hostname()):
		return refuse("another site")
	}
	if port := PortOf(to); port != "80" && port != "443" && port != PortOf(from) {
		return refuse("port " + port + " is neither 80, 443 nor that of the request")
	}
	to.Fragment, to.RawFragment = "", ""
	return to, nil
}

// keepsMethod: 307 and 308 repeat the request; the others make a GET of everything.
func keepsMethod(method string, status int) bool {
	return method == http.MethodGet || status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

// sameSite compares registrable domains by the public suffix list, its private part included: two customers of a
// hosting platform are two sites.
func sameSite(a, b string) bool {
	a, b = normalHost(a), normalHost(b)
	if a == b {
		return a != ""
	}
	if isAddress(a) || isAddress(b) {
		return false
	}
	siteA, errA := publicsuffix.EffectiveTLDPlusOne(a)
	siteB, errB := publicsuffix.EffectiveTLDPlusOne(b)
	return errA == nil && errB == nil && siteA == siteB
}

func normalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// SameOrigin compares scheme, host and port (RFC 6454 §5).
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && normalHost(a.Hostname()) == normalHost(b.Hostname()) && PortOf(a) == PortOf(b)
}

// PortOf returns the port of a URL, with the default of its scheme.
func PortOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
