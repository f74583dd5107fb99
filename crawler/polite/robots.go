package polite

import (
	"bytes"
	"strings"
)

// ProductToken is the name by which a robots.txt can address the census.
const ProductToken = "mcpcensus"

// maxRobots is how much of a robots.txt is read, in bytes (RFC 9309 §2.5 asks for at least this).
const maxRobots = 500 << 10

// Robots are the rules of a robots.txt (RFC 9309) in the groups that name the census. Groups for all crawlers ("*") do
// not count: an MCP endpoint is published in order to be called by programs, and those groups are about pages. The
// zero value allows everything.
type Robots struct {
	rules []robotsRule
}

type robotsRule struct {
	allow    bool
	length   int      // octets of the pattern: the longest rule that matches decides
	parts    []string // what stands between the wildcards; the first part must begin the path
	anchored bool     // the pattern ends in "$": the last part must end the path
}

// ParseRobots reads a robots.txt of at most 500 KiB; a longer one is cut behind the last whole line before that. It
// never fails: lines that mean nothing are skipped, as RFC 9309 asks.
func ParseRobots(body []byte) Robots {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if len(body) > maxRobots {
		body = body[:maxRobots]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	var r Robots
	ours, naming := false, false // the group names the census; the lines that name crawlers are not over yet
	for line := range strings.FieldsFuncSeq(string(body), func(c rune) bool { return c == '\n' || c == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "user-agent":
			ours = naming && ours || namesUs(value)
			naming = true
		case "allow", "disallow":
			naming = false
			if ours && value != "" {
				r.rules = append(r.rules, newRobotsRule(key == "allow", value))
			}
		}
	}
	return r
}

// namesUs compares the product token at the start of a user-agent value, without regard to case.
func namesUs(value string) bool {
	end := strings.IndexFunc(value, func(c rune) bool {
		return c != '-' && c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.EqualFold(value, ProductToken)
}

func newRobotsRule(allow bool, pattern string) robotsRule {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	length := len(parts) - 1
	if anchored {
		length++
	}
	for i := range parts {
		parts[i] = normalPath(parts[i])
		length += len(parts[i])
	}
	return robotsRule{allow: allow, length: length, parts: parts, anchored: anchored}
}

// Disallows says whether the rules forbid a path, given with its query as it is requested: "/mcp?x=1". The longest
// rule that matches decides, and of equally long ones the one that allows. /robots.txt itself is never forbidden.
func (r Robots) Disallows(path string) bool {
	path = normalPath(path)
	if path == "" {
		path = "/"
	}
	if path == "/robots.txt" {
		return false
	}
	best := robotsRule{allow: true, length: -1}
	for _, rule := range r.rules {
		longer := rule.length > best.length || rule.length == best.length && rule.allow
		if longer && rule.matches(path) {
			best = rule
		}
	}
	return !best.allow
}

func (rule robotsRule) matches(path string) bool {
	first, rest := rule.parts[0], rule.parts[1:]
	path, ok := strings.CutPrefix(path, first)
	if !ok {
		return false
	}
	if len(rest) == 0 {
		return !rule.anchored || path == ""
	}
	for _, part := range rest[:len(rest)-1] { // the first place that fits leaves most to the others
		if _, path, ok = strings.Cut(path, part); !ok {
			return false
		}
	}
	last := rest[len(rest)-1]
	if rule.anchored {
		return strings.HasSuffix(path, last)
	}
	return strings.Contains(path, last)
}

const upperHex = "0123456789ABCDEF"

// normalPath writes a path in the one form in which RFC 9309 §2.2.2 compares them: unreserved characters plain, all
// that is not printable ASCII percent-encoded. "*" and "$" are encoded too, as they would be special in a rule.
func normalPath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		encoded := false
		if c == '%' && i+2 < len(path) {
			high, low := strings.IndexByte(upperHex, upper(path[i+1])), strings.IndexByte(upperHex, upper(path[i+2]))
			if high >= 0 && low >= 0 {
				c, encoded = byte(high<<4|low), true
				i += 2
			}
		}
		if plain := !encoded && c > ' ' && c < 0x7f && c != '*' && c != '$'; plain || unreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// unreserved is the set of RFC 3986 §2.3.
func unreserved(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}
