package wire

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number, ±digits × 10^exponent, in the one form where digits has no zero at
// either end. Zero has no digits, no sign and no exponent.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// parseDecimal reads a JSON number. It fails on other text and on exponents beyond ±10^15, which nobody means.
func parseDecimal(raw []byte) (decimal, bool) {
	s := scanner{data: bytes.TrimSpace(raw)}
	if c := s.peek(); c != '-' && (c < '0' || c > '9') {
		return decimal{}, false
	}
	if err := s.number(); err != nil || s.pos != len(s.data) {
		return decimal{}, false
	}
	text := strings.ToLower(string(s.data))
	mantissa, power, hasPower := strings.Cut(text, "e")
	var d decimal
	if hasPower {
		n, err := strconv.ParseInt(power, 10, 64)
		if err != nil || n > 1e15 || n < -1e15 {
			return decimal{}, false
		}
		d.exponent = n
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= int64(len(fraction))
	all := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(all, "0")
	d.exponent += int64(len(all) - len(d.digits))
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// integer returns the value as an int64 and whether it is integral. Integers beyond the range of an int64 are cut to
// its ends.
func (d decimal) integer() (int64, bool) {
	if d.exponent < 0 {
		return 0, false
	}
	text := d.digits
	if len(text) > 0 && int64(len(text))+d.exponent <= 20 {
		text += strings.Repeat("0", int(d.exponent))
	} else if len(text) > 0 {
		text = strings.Repeat("9", 20) // out of range in any case
	} else {
		text = "0"
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if d.negative {
		n, err = strconv.ParseInt("-"+text, 10, 64)
	}
	switch {
	case err == nil:
		return n, true
	case d.negative:
		return math.MinInt64, true
	}
	return math.MaxInt64, true
}

// ReadInt returns the integer that raw spells: exact is true for a plain integer such as -32602, false for the same
// value written as -32602.0 or 3e2. ok is false for fractions and for anything that is no number. Values beyond the
// range of an int64 are cut to its ends.
func ReadInt(raw []byte) (n int64, exact, ok bool) {
	d, ok := parseDecimal(raw)
	if !ok {
		return 0, false, false
	}
	n, ok = d.integer()
	return n, ok && !bytes.ContainsAny(raw, ".eE"), ok
}
