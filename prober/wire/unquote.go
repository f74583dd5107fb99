package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote decodes a string that the scanner has checked. Bytes that are not UTF-8 stay as they are; an escape of half
// a surrogate pair, which has no UTF-8 form, becomes U+FFFD.
func unquote(quoted []byte) string {
	body := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			out = append(out, body[i])
			continue
		}
		i++
		if body[i] != 'u' {
			out = append(out, unescaped(body[i]))
			continue
		}
		r := hex4(body[i+1:])
		i += 4
		if utf16.IsSurrogate(r) && len(body) > i+6 && body[i+1] == '\\' && body[i+2] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(body[i+3:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func hex4(digits []byte) rune {
	var r rune
	for _, c := range digits[:4] {
		r = r<<4 | rune(hex(c))
	}
	return r
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
