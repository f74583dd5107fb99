package redact

import (
	"encoding/json"
	"testing"
)

const hostile = "a\x1b]0;pwned\x07\r\nforged \u202e \u009b31m \xff é"

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got, want := Printable(hostile), `a\x1b]0;pwned\a\r\nforged \u202e \u009b31m `+"\uFFFD é"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestJSONStaysTheSameValue(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	escaped := JSON(string(raw))
	for _, c := range escaped {
		if c == 0x202e || c == 0x9b || c == 0x7f {
			t.Errorf("%q holds %U", escaped, c)
		}
	}
	var before, after string
	if json.Unmarshal(raw, &before) != nil || json.Unmarshal([]byte(escaped), &after) != nil || before != after {
		t.Errorf("%q became %q", before, after)
	}
}
