package wire

import "strings"

// Encode writes the header as it is stored: one "Name: value" a line, in order. Neither part can hold a line feed.
// No field at all gives an empty text, not nil.
func (h Header) Encode() []byte {
	b := []byte{}
	for _, f := range h {
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, f.Value...)
		b = append(b, '\n')
	}
	return b
}

// DecodeHeader reads what Encode wrote.
func DecodeHeader(stored []byte) Header {
	var h Header
	for line := range strings.Lines(string(stored)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		h = append(h, Field{Name: name, Value: value})
	}
	return h
}
