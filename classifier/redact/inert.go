package redact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Printable replaces everything that a terminal could obey, or hide, by its escape: text that came from elsewhere stays
// on its line and is seen.
func Printable(text string) string {
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(text, "\uFFFD") {
		if unicode.IsPrint(c) {
			b.WriteRune(c)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
	}
	return b.String()
}

// JSON escapes in a JSON text what encoding/json leaves as it is: DEL, control characters beyond ASCII, and invisible ones
// such as those that turn the direction of writing. Outside strings there are none of these.
func JSON(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c == '\n' || unicode.IsPrint(c) {
			b.WriteRune(c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
