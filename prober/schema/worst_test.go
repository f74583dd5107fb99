package schema_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/schema"
)

// The worst that a server can send must come to an end, whatever the verdict. The bounds are counts, so the verdicts
// are the same on every machine.
func TestWorst(t *testing.T) {
	t.Parallel()
	nested := func(open, inner, close string, levels int) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(close, levels)
	}
	list := func(n int, item func(int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	number := func(i int) string {
		return string(rune('0'+i/1000%10)) + string(rune('0'+i/100%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
	}
	doubling := list(60, func(i int) string {
		next := `{"$ref":"#/$defs/` + number(i+1) + `"}`
		return `"` + number(i) + `":{"allOf":[` + next + `,` + next + `]}`
	})
	long := strings.Repeat("k", 100_000)
	for _, tc := range []struct{ name, schema, want string }{
		{"doubling", `{"$ref":"#/$defs/0000","$defs":{` + doubling + `,"0060":{}}}`, "ok"},
		{"doubling inside", nested(`{"anyOf":[{},`, `{}`, `]}`, 45), "ok"},
		{"deep", nested(`{"not":`, `{}`, `}`, 99), "ok"},
		{"too deep", nested(`{"not":`, `{}`, `}`, 100), "too_deep"},
		{"far too deep", nested(`{"a":`, `1`, `}`, 40_000), "too_deep"},
		{"wide", `{"properties":{` + list(9000, func(i int) string { return `"` + number(i) + `":{}` }) + `}}`, "ok"},
		{"too many", `{"enum":[` + list(20_000, func(i int) string { return "1" }) + `]}`, "too_large"},
		{"too long", `{"description":"` + strings.Repeat("x", schema.MaxBytes) + `"}`, "too_large"},
		{"huge enum", `{` + draft04 + `,"enum":[` + list(3000, entry) + `]}`, "ok"},
		{"enum whose values hash alike", `{` + draft04 + `,"enum":[` + list(4096, splitting) + `]}`, "too_large"},
		{"fewer of them", `{` + draft04 + `,"enum":[` + list(2048, splitting) + `]}`, "ok"},
		{"huge exponent", `{"maximum":1e999999999}`, "too_large"},
		{"huge negative exponent", `{"multipleOf":1e-999999999}`, "too_large"},
		{"exponent beyond an int", `{"maximum":1e99999999999999999999}`, "too_large"},
		{"many digits", `{"maximum":` + strings.Repeat("9", 2000) + `}`, "too_large"},
		{"large exponent", `{"maximum":1e999,"minLength":1e3}`, "ok"},
		{"chain", `{"$ref":"#/$defs/0000","$defs":{` + list(6000, func(i int) string {
			return `"` + number(i) + `":{"$ref":"#/$defs/` + number(i+1) + `"}`
		}) + `,"6000":{}}}`, "ok"},
		{"ring", `{"$ref":"#/$defs/0000","$defs":{` + list(6000, func(i int) string {
			return `"` + number(i) + `":{"$ref":"#/$defs/` + number((i+1)%6000) + `"}`
		}) + `}}`, "ref_loop"},
		{"every property wrong below a long key", `{"properties":{"` + long + `":{"properties":{` +
			list(6000, func(i int) string { return `"` + number(i) + `":{"type":7}` }) + `}}}}`, "invalid_for_dialect"},
		{"dangling below a long key", `{"properties":{"` + long + `":{"properties":{` +
			list(4000, func(i int) string { return `"` + number(i) + `":{"$ref":"#x"}` }) + `}}}}`, "ref_dangling"},
		{"long base", `{"$id":"https://a.example/` + long + `/","properties":{` +
			list(4000, func(i int) string { return `"` + number(i) + `":{"$ref":"x"}` }) + `}}`, "too_large"},
		{"long pattern", `{` + draft07 + `,"pattern":"` + nested("(", "x{1000}", "){1000}", 5000) + `"}`, "ok"},
	} {
		got := schema.Check(json.RawMessage(tc.schema))
		if got.Reason != tc.want {
			t.Errorf("%s: %s %q, want %s", tc.name, got.Reason, got.Errors, tc.want)
		}
		for _, text := range got.Errors {
			if len(text) > 2000 {
				t.Errorf("%s: an error of %d bytes", tc.name, len(text))
			}
		}
	}
}

func entry(i int) string {
	return `{"a":["` + strings.Repeat("x", i%7) + `",` + strconv.Itoa(i) + `]}`
}

// splitting is an array of strings that reads the same for every i if the bounds between its strings are not looked at.
func splitting(i int) string {
	text := `["a`
	for bit := range 12 {
		if i>>bit&1 == 1 {
			text += `","a`
		} else {
			text += `\u0004a`
		}
	}
	return text + `"]`
}
