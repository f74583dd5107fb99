package wire

import (
	"bytes"
	"strings"
)

// Encode writes the header as it is stored: one "Name: value" a line, in order. Neither part can hold a line feed.
func (h Header) Encode() []byte {
	var b bytes.Buffer
	for _, f := range h {
		b.WriteString(f.Name)
		b.WriteString(": ")
		b.WriteString(f.Value)
		b.WriteByte('\n')
	}
	return b.Bytes()
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
