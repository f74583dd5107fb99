package target

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/mcpcensus/mcpcensus/classifier/redact"
)

// CanonicalizerVersion is raised with every change that can give an endpoint another key.
const CanonicalizerVersion = 1

// Class is what kind of URL was declared.
type Class string

// The classes.
const (
	Plain    Class = "plain"
	Template Class = "template" // with {variables} to fill in
	Invalid  Class = "invalid"  // no http or https URL with a host
)

// Endpoint is a declared URL and its canonical forms. The levels, from fine to coarse: E0 is the raw text, E1 the key, E2
// the key without a trailing slash, E3 that without query and scheme.
type Endpoint struct {
	Raw   string // as declared
	Class Class
	// Key tells endpoints apart. For a plain URL it is the URL in the form that RFC 3986 §6.2.2 and §6.2.3 call equivalent,
	// and the URL to request. For a template it is the server name, a blank and the template: the same template of two
	// names is two endpoints. For anything else it is the raw text.
	Key    string
	E2, E3 string // empty for all but plain URLs

	Scheme     string // lower case
	Host       string // ASCII, lower case, without brackets; empty when a variable stands in it
	Port       string // empty for the default port of the scheme
	Path       string // as in the key
	HasQuery   bool   // also for a bare "?"
	QueryNames []string
	Domain     string // registrable domain by the Public Suffix List, private entries included; the host where there is none
	HostClass  HostClass
	Variables  []string // names of the variables of a template, sorted
	Fault      Fault    // why it is invalid
	Flags      []string // sorted; see the Flag constants
}

// Fault is why a URL is invalid.
type Fault string

// The faults.
const (
	FaultEmpty  Fault = "empty"
	FaultSyntax Fault = "syntax"
	FaultScheme Fault = "scheme"
	FaultHost   Fault = "host" // none, or one that is neither a name nor an address
	FaultPort   Fault = "port"
)

// What the canonicaliser changed or noticed.
const (
	FlagWhiteSpace  = "white_space"     // blanks around it, removed
	FlagScheme      = "scheme_case"     // scheme not in lower case
	FlagHostCase    = "host_case"       // host not in lower case
	FlagIDNA        = "idna"            // host mapped to ASCII
	FlagIDNAFailed  = "idna_failed"     // host that IDNA refuses, kept in lower case
	FlagPunycode    = "punycode"        // host with an xn-- label
	FlagTrailingDot = "trailing_dot"    // dot at the end of the host, removed
	FlagAddress     = "ip_literal"      // host is an address
	FlagNumericHost = "numeric_host"    // host that some readers take for an address, such as 2130706433
	FlagDefaultPort = "default_port"    // :443 or :80, removed
	FlagPortForm    = "port_form"       // port empty or with leading zeros
	FlagPath        = "path_normalized" // escapes or dot segments of the path changed
	FlagQuery       = "query_encoded"   // characters that no query may have, escaped
	FlagFragment    = "fragment"        // fragment, removed
	FlagUserinfo    = "userinfo"        // user name or password, removed
	FlagSecretQuery = "secret_query"    // a query parameter whose name announces a secret
	FlagDerived     = "derived"         // made from a template
)

var variable = regexp.MustCompile(`(?:\{|%7[Bb])((?:[^{}%]|%[^7]|%7[^BbDd])*)(?:\}|%7[Dd])`)

// Canonical brings a declared URL into canonical form. It never fails: what cannot be a URL is of class Invalid, with the
// reason. serverName is the registry name that declares it; only templates depend on it.
func Canonical(raw, serverName string) Endpoint {
	e := Endpoint{Raw: raw, Class: Plain}
	text := strings.Trim(raw, " \t\r\n\f\v")
	e.flagIf(text != raw, FlagWhiteSpace)
	if variable.MatchString(text) {
		e.template(text, serverName)
	} else if fault := e.plain(text); fault != "" {
		e = Endpoint{Raw: raw, Class: Invalid, Key: text, Fault: fault, Scheme: e.Scheme, Flags: e.Flags}
	}
	slices.Sort(e.Flags)
	e.Flags = slices.Compact(e.Flags)
	return e
}

func (e *Endpoint) flagIf(is bool, flag string) {
	if is {
		e.Flags = append(e.Flags, flag)
	}
}

// Display returns a declared URL or a key in the form in which it may be shown: without secrets.
func Display(raw string) string { return redact.URL(raw) }

// Has says whether the canonicaliser raised a flag.
func (e *Endpoint) Has(flag string) bool { return slices.Contains(e.Flags, flag) }

func (e *Endpoint) plain(text string) Fault {
	if text == "" {
		return FaultEmpty
	}
	u, err := url.Parse(text)
	if err != nil {
		return syntaxFault(text)
	}
	e.Scheme = u.Scheme
	if u.Scheme != "http" && u.Scheme != "https" {
		return FaultScheme
	}
	e.flagIf(!strings.HasPrefix(text, u.Scheme), FlagScheme)
	e.flagIf(u.User != nil, FlagUserinfo)
	e.flagIf(strings.Contains(text, "#"), FlagFragment)
	if !e.host(u.Hostname()) {
		return FaultHost
	}
	if !e.port(u) {
		return FaultPort
	}
	e.path(u.EscapedPath())
	query := e.query(u)

	authority := e.authority()
	e.Key = e.Scheme + "://" + authority + e.Path + query
	shorter := strings.TrimSuffix(e.Path, "/")
	e.E2 = e.Scheme + "://" + authority + shorter + query
	e.E3 = authority + shorter
	return ""
}

// syntaxFault tells an unusable port from everything else that no parser takes.
func syntaxFault(text string) Fault {
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	host, _, hasPort := strings.Cut(rest, ":")
	if hasPort && host != "" && !strings.ContainsAny(host, "[]%<> ") {
		return FaultPort
	}
	return FaultSyntax
}

// host sets the host in lower case and ASCII. Names are compared without regard to case (RFC 4343), and with or without
// the dot of the root.
func (e *Endpoint) host(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		e.address(addr)
		return true
	}
	name := strings.ToLower(host)
	if ascii, err := idna.Lookup.ToASCII(host); err == nil && ascii != "" {
		e.flagIf(!isASCII(host), FlagIDNA)
		name = ascii
	} else {
		e.flagIf(host != "", FlagIDNAFailed)
	}
	e.flagIf(isASCII(host) && host != name, FlagHostCase)
	if shorter, found := strings.CutSuffix(name, "."); found {
		e.flagIf(true, FlagTrailingDot)
		name = shorter
	}
	// Mapping can give an address: full-width digits become plain ones.
	if addr, err := netip.ParseAddr(name); err == nil {
		e.address(addr)
		return true
	}
	if !isHostName(name) {
		return false
	}
	e.Host = name
	e.flagIf(strings.Contains("."+name, ".xn--"), FlagPunycode)
	e.HostClass = classifyName(name)
	_, numeric := numericAddress(name)
	e.flagIf(numeric, FlagNumericHost)
	e.Domain = registrable(name)
	return true
}

func (e *Endpoint) address(addr netip.Addr) {
	e.Host = addr.String()
	e.flagIf(true, FlagAddress)
	e.HostClass = classifyAddr(addr)
	e.Domain = e.Host
}

// registrable returns the part of a name that somebody registered (publicsuffix.org), and the name itself where there is
// none: names without a dot, and public suffixes.
func registrable(name string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}

func (e *Endpoint) port(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		e.flagIf(strings.HasSuffix(u.Host, ":"), FlagPortForm)
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return false
	}
	e.Port = strconv.FormatUint(n, 10)
	e.flagIf(e.Port != port, FlagPortForm)
	if (e.Scheme == "https" && n == 443) || (e.Scheme == "http" && n == 80) {
		e.flagIf(true, FlagDefaultPort)
		e.Port = ""
	}
	return true
}

// authority writes host and port; an address of 16 bytes stands in brackets (RFC 3986 §3.2.2, zones by RFC 6874).
func (e *Endpoint) authority() string {
	host := e.Host
	if strings.Contains(host, ":") {
		address, zone, hasZone := strings.Cut(host, "%")
		if hasZone {
			address += "%25" + escape(zone, isUnreserved)
		}
		host = "[" + address + "]"
	}
	if e.Port != "" {
		host += ":" + e.Port
	}
	return host
}

func (e *Endpoint) path(escaped string) {
	path := removeDotSegments(normalEscapes(escaped, isPathChar))
	e.flagIf(path != escaped, FlagPath)
	if path == "" {
		path = "/"
	}
	e.Path = path
}

// query returns the query as it is declared, from its "?" on: its order may matter, and so may an empty one.
func (e *Endpoint) query(u *url.URL) string {
	if u.RawQuery == "" && !u.ForceQuery {
		return ""
	}
	e.HasQuery = true
	query := escape(u.RawQuery, func(c byte) bool { return isQueryChar(c) || c == '%' })
	e.flagIf(query != u.RawQuery, FlagQuery)
	for _, pair := range strings.FieldsFunc(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		e.flagIf(redact.SecretName(name), FlagSecretQuery)
		if unescaped, err := url.QueryUnescape(name); err == nil {
			name = strings.ToValidUTF8(strings.ReplaceAll(unescaped, "\x00", "\uFFFD"), "\uFFFD")
		}
		e.QueryNames = append(e.QueryNames, name)
	}
	slices.Sort(e.QueryNames)
	e.QueryNames = slices.Compact(e.QueryNames)
	return "?" + query
}

// template keeps the template as it is, and reads what stands before its first variable.
func (e *Endpoint) template(text, serverName string) {
	e.Class = Template
	text = variable.ReplaceAllString(text, "{$1}")
	e.Key = serverName + " " + text
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		e.Variables = append(e.Variables, m[1])
	}
	slices.Sort(e.Variables)
	e.Variables = slices.Compact(e.Variables)
	scheme, rest, ok := strings.Cut(text, "://")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	var fixed Endpoint
	if ok && !strings.Contains(scheme+authority, "{") && fixed.plain(scheme+"://"+authority+"/") == "" {
		e.Scheme, e.Host, e.Port, e.Domain, e.HostClass = fixed.Scheme, fixed.Host, fixed.Port, fixed.Domain, fixed.HostClass
		e.Flags = append(e.Flags, fixed.Flags...)
	}
}
