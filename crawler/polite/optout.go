package polite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// maxRule is the longest line of an opt-out list, in bytes.
const maxRule = 4096

// OptOut is the project's list of those who do not want to be visited. The zero value is an empty list.
//
// The list is text with one pattern a line; "#" begins a comment, at the start of a line or behind white space. The
// patterns:
//
//	example.org               this host, on any port (also an IP address, without brackets)
//	*.example.org             every host below it, but not example.org itself
//	https://example.org/mcp   every URL that begins so
//	org.example/server        this registry name
//	org.example/              every registry name that begins so
//
// Hosts and names are compared without regard to case.
type OptOut struct {
	rules []optOutRule
}

type optOutRule struct {
	text string // as written
	kind optOutKind
	want string // in the form in which it is compared
}

type optOutKind int

const (
	optOutHost optOutKind = iota
	optOutBelow
	optOutURL
	optOutName
	optOutNames
)

// ReadOptOut reads an opt-out list. An error names the line.
func ReadOptOut(r io.Reader) (OptOut, error) {
	var list OptOut
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRule)
	number := 0
	for lines.Scan() {
		number++
		text := strings.TrimPrefix(lines.Text(), "\ufeff")
		if i := strings.IndexByte(text, '#'); i == 0 || i > 0 && strings.ContainsRune(" \t", rune(text[i-1])) {
			text = text[:i]
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		rule, err := newOptOutRule(text)
		if err != nil {
			return OptOut{}, fmt.Errorf("opt-out list, line %d: %q: %w", number, text, err)
		}
		list.rules = append(list.rules, rule)
	}
	if err := lines.Err(); err != nil {
		return OptOut{}, fmt.Errorf("opt-out list, line %d: %w", number+1, err)
	}
	return list, nil
}

func newOptOutRule(text string) (rule optOutRule, err error) {
	rule.text = text
	switch {
	case strings.ContainsAny(text, " \t"):
		return rule, errors.New("write one pattern a line, without white space")
	case strings.Contains(text, "://"):
		rule.kind = optOutURL
		rule.want, err = normalURL(text)
	case strings.HasPrefix(text, "*."):
		rule.kind = optOutBelow
		rule.want, err = normalHost(text[2:])
		rule.want = "." + rule.want
	case strings.Contains(text, "/"):
		rule.kind = optOutName
		if strings.HasSuffix(text, "/") {
			rule.kind = optOutNames
		}
		if strings.HasPrefix(text, "/") || strings.Contains(text, "*") {
			err = errors.New("write a registry name, or the start of one up to its slash")
		}
		rule.want = strings.ToLower(text)
	default:
		rule.want, err = normalHost(text)
	}
	return rule, err
}

// Match returns the first pattern, as written, that covers a target: its host (with or without a port), its URL, or
// one of the registry names that declare it. Parts that a target does not have are empty.
func (l OptOut) Match(host, endpoint string, names []string) (rule string, ok bool) {
	host, endpoint = comparableHost(host), comparableURL(endpoint)
	for _, r := range l.rules {
		if r.covers(host, endpoint, names) {
			return r.text, true
		}
	}
	return "", false
}

func (r optOutRule) covers(host, endpoint string, names []string) bool {
	switch r.kind {
	case optOutHost:
		return host == r.want
	case optOutBelow:
		return strings.HasSuffix(host, r.want)
	case optOutURL:
		return strings.HasPrefix(endpoint, r.want)
	}
	for _, name := range names {
		name = strings.ToLower(name)
		if name == r.want || r.kind == optOutNames && strings.HasPrefix(name, r.want) {
			return true
		}
	}
	return false
}

// comparableHost brings the host of a target into the form of a pattern, as far as it can be: without its port and
// brackets.
func comparableHost(host string) string {
	if _, err := netip.ParseAddr(host); err != nil {
		if u, err := url.Parse("//" + host); err == nil && u.Hostname() != "" {
			host = u.Hostname()
		}
	}
	if normal, err := normalHost(host); err == nil {
		return normal
	}
	return strings.ToLower(host)
}

// comparableURL brings the URL of a target into the form of a pattern, as far as it can be: without what no pattern has.
func comparableURL(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if normal, err := normalURL(u.String()); err == nil {
		return normal
	}
	return endpoint
}

// hostNames maps names as for a look-up, but lets the underscore pass, which real names have.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))

// normalHost returns an address in its usual form, or a name in lower case, in ASCII and without a final dot.
func normalHost(host string) (string, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().String(), nil
	}
	if strings.ContainsAny(host, "*:/@?") || host == "" {
		return "", errors.New("write a host name without port, or *.name for all below it")
	}
	name, err := hostNames.ToASCII(strings.TrimSuffix(strings.ToLower(host), "."))
	if err != nil {
		return "", fmt.Errorf("not a host name: %w", err)
	}
	if name == "" {
		return "", errors.New("not a host name")
	}
	return name, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// normalURL returns an http or https URL with scheme and host in lower case, without a default port, and with a path.
func normalURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("not a URL")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New("write an http or https URL without user name and fragment")
	}
	host, err := normalHost(u.Hostname())
	if err != nil {
		return "", err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != defaultPorts[u.Scheme] {
		host += ":" + port
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return u.Scheme + "://" + host + path, nil
}
