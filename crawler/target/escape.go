package target

import "strings"

const (
	subDelims = "!$&'()*+,;="
	hexDigits = "0123456789ABCDEF"
)

// The character classes of RFC 3986 §2 and §3.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isPathChar(c byte) bool { return isUnreserved(c) || strings.IndexByte(subDelims+":@/", c) >= 0 }

func isQueryChar(c byte) bool { return isPathChar(c) || c == '?' }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// escape replaces every byte that is not allowed by %HH.
func escape(s string, allowed func(byte) bool) string {
	var b strings.Builder
	for i := range len(s) {
		if allowed(s[i]) {
			b.WriteByte(s[i])
		} else {
			b.WriteString(percent(s[i]))
		}
	}
	return b.String()
}

func percent(c byte) string { return string([]byte{'%', hexDigits[c>>4], hexDigits[c&15]}) }

// normalEscapes writes %hh in upper case, decodes those of unreserved characters, and nothing else: all other escapes
// carry meaning (RFC 3986 §6.2.2). Bytes that are not allowed are escaped.
func normalEscapes(s string, allowed func(byte) bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			high, ok1 := unhex(s[i+1])
			low, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				if c = high<<4 | low; isUnreserved(c) {
					b.WriteByte(c)
				} else {
					b.WriteString(percent(c))
				}
				i += 2
				continue
			}
		}
		if allowed(c) {
			b.WriteByte(c)
		} else {
			b.WriteString(percent(c))
		}
	}
	return b.String()
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// removeDotSegments is the algorithm of RFC 3986 §5.2.4 for an absolute path. Empty segments stay: "//" is not "/".
func removeDotSegments(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	var kept []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "") // "/a/." is "/a/"
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}
