package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// Errors of the JSON readers. ErrIncomplete and ErrNonFinite are always wrapped together with ErrInvalidJSON.
var (
	ErrInvalidJSON = errors.New("not valid JSON")
	ErrIncomplete  = errors.New("ends inside the value")
	ErrNonFinite   = errors.New("NaN or Infinity")
	ErrNotObject   = errors.New("not a JSON object")
	ErrNotArray    = errors.New("not a JSON array")
	ErrTooDeep     = fmt.Errorf("JSON nested deeper than %d levels", MaxDepth)
)

// scanner walks over JSON text. It is strict (RFC 8259), takes linear time, and keeps open brackets in a slice instead
// of on the call stack, so that a million of them are only a megabyte.
type scanner struct {
	data    []byte
	pos     int
	open    []byte // brackets of the value being skipped that are still open
	deepest int    // most brackets that were open at once, within one skipped value
}

func (s *scanner) fail() error {
	if s.pos >= len(s.data) {
		return fmt.Errorf("%w: %w", ErrInvalidJSON, ErrIncomplete)
	}
	rest := s.data[s.pos:]
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return fmt.Errorf("%w: %w at byte %d", ErrInvalidJSON, ErrNonFinite, s.pos)
		}
	}
	return fmt.Errorf("%w: unexpected byte %#02x at byte %d", ErrInvalidJSON, rest[0], s.pos)
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// expect skips white space and takes the byte c.
func (s *scanner) expect(c byte) error {
	if s.peek() != c || s.pos >= len(s.data) {
		return s.fail()
	}
	s.pos++
	return nil
}

// skip moves over white space and one value, and returns the bytes of the value.
func (s *scanner) skip() ([]byte, error) {
	s.peek()
	start := s.pos
	s.open = s.open[:0]
	for {
		closed, err := s.token()
		if err != nil {
			return nil, err
		}
		for closed && len(s.open) > 0 {
			if closed, err = s.next(); err != nil {
				return nil, err
			}
		}
		if len(s.open) == 0 {
			return s.data[start:s.pos:s.pos], nil
		}
	}
}

// token reads one scalar, or the start of an array or object up to the place of its first value. It says whether a
// whole value was read: true for scalars and for empty arrays and objects.
func (s *scanner) token() (closed bool, err error) {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		s.pos++
		if s.peek() == c+2 { // in ASCII, both closing brackets stand two behind the opening ones
			s.pos++
			s.deepest = max(s.deepest, len(s.open)+1)
			return true, nil
		}
		s.open = append(s.open, c)
		s.deepest = max(s.deepest, len(s.open))
		if c == '{' {
			_, err = s.key()
		}
		return false, err
	case c == '"':
		_, err = s.text()
		return true, err
	case c == '-' || '0' <= c && c <= '9':
		return true, s.number()
	default:
		return true, s.literal()
	}
}

// next reads what stands behind a value inside the innermost open bracket: a comma (and the key behind it), after
// which another value follows, or the closing bracket.
func (s *scanner) next() (closed bool, err error) {
	in := s.open[len(s.open)-1]
	switch s.peek() {
	case ',':
		s.pos++
		if in == '{' {
			_, err = s.key()
		}
		return false, err
	case in + 2:
		s.pos++
		s.open = s.open[:len(s.open)-1]
		return true, nil
	}
	return false, s.fail()
}

// key reads an object key and the colon behind it.
func (s *scanner) key() (raw []byte, err error) {
	if s.peek() != '"' {
		return nil, s.fail()
	}
	if raw, err = s.text(); err != nil {
		return nil, err
	}
	return raw, s.expect(':')
}

// text reads a string and returns it with its quotes.
func (s *scanner) text() ([]byte, error) {
	start := s.pos
	for s.pos++; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start:s.pos], nil
		case c < 0x20:
			return nil, s.fail()
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
	}
	return nil, s.fail()
}

// escape checks the escape sequence at pos and leaves pos on its last byte.
func (s *scanner) escape() error {
	s.pos++
	if s.pos >= len(s.data) {
		return s.fail()
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			s.pos++
			if s.pos >= len(s.data) || hex(s.data[s.pos]) < 0 {
				return s.fail()
			}
		}
		return nil
	}
	return s.fail()
}

func (s *scanner) number() error {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
	}
	switch {
	case s.pos < len(s.data) && s.data[s.pos] == '0':
		s.pos++
	case !s.digits():
		if bytes.HasPrefix(s.data[start:], []byte("-Infinity")) {
			s.pos = start
		}
		return s.fail()
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if !s.digits() {
			return s.fail()
		}
	}
	if s.pos < len(s.data) && (s.data[s.pos] == 'e' || s.data[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		if !s.digits() {
			return s.fail()
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) literal() error {
	rest := s.data[s.pos:]
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			s.pos += len(word)
			return nil
		}
		if len(rest) > 0 && bytes.HasPrefix([]byte(word), rest) {
			s.pos = len(s.data)
		}
	}
	return s.fail()
}
