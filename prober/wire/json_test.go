package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in    string
		keys  []string
		flaws []Flaw
		err   error
	}{
		"empty":               {in: ` {} `},
		"order kept":          {in: `{"b":1,"a":[{"x":{}}],"c":"}"}`, keys: []string{"b", "a", "c"}},
		"exact duplicate":     {in: `{"a":1,"a":2}`, keys: []string{"a", "a"}, flaws: []Flaw{DuplicateKey}},
		"escaped duplicate":   {in: `{"a":1,"\u0061":2}`, keys: []string{"a", "a"}, flaws: []Flaw{DuplicateKey}},
		"trailing NUL in key": {in: `{"tools\u0000":[],"tools":[1]}`, keys: []string{"tools\x00", "tools"}},
		"trailing bytes":      {in: `{"a":1} x`, keys: []string{"a"}, flaws: []Flaw{TrailingBytes}},
		"second value":        {in: `{"a":1}{"a":1}`, keys: []string{"a"}, flaws: []Flaw{TrailingBytes}},
		"byte order mark":     {in: "\ufeff{}", flaws: []Flaw{JSONBOM}},
		"invalid UTF-8":       {in: "{\"a\":\"\xb0\xa1\"}", keys: []string{"a"}, flaws: []Flaw{InvalidUTF8}},
		"surrogate pair":      {in: `{"\ud83d\ude00":1}`, keys: []string{"😀"}},
		"half a pair":         {in: `{"\ud83d":1,"x\udE00\u0041":2}`, keys: []string{"\ufffd", "x\ufffdA"}},
		"big numbers":         {in: `{"a":1e400,"b":1915883588174806058}`, keys: []string{"a", "b"}},
		"NaN":                 {in: `{"a":[NaN]}`, flaws: []Flaw{NonFiniteNumber}, err: ErrNonFinite},
		"Infinity":            {in: `{"a":Infinity}`, flaws: []Flaw{NonFiniteNumber}, err: ErrNonFinite},
		"negative infinity":   {in: `{"a":{"b":-Infinity}}`, flaws: []Flaw{NonFiniteNumber}, err: ErrNonFinite},
		"NaN in a string":     {in: `{"a":"{\"n\": NaN}"}`, keys: []string{"a"}},
		"nothing":             {in: ``, flaws: []Flaw{IncompleteJSON}, err: ErrIncomplete},
		"cut":                 {in: `{"a":{"b":[1,`, flaws: []Flaw{IncompleteJSON}, err: ErrIncomplete},
		"cut literal":         {in: `{"a":tr`, flaws: []Flaw{IncompleteJSON}, err: ErrIncomplete},
		"cut string":          {in: `{"a":"b\`, flaws: []Flaw{IncompleteJSON}, err: ErrIncomplete},
		"array":               {in: `[]`, err: ErrNotObject},
		"null":                {in: `null`, err: ErrNotObject},
		"text":                {in: `Bad Request`, err: ErrInvalidJSON},
		"single quotes":       {in: `{'a':1}`, err: ErrInvalidJSON},
		"trailing comma":      {in: `{"a":1,}`, err: ErrInvalidJSON},
		"no colon":            {in: `{"a" 1}`, err: ErrInvalidJSON},
		"bracket mismatch":    {in: `{"a":[1}}`, err: ErrInvalidJSON},
		"control in string":   {in: "{\"a\":\"\n\"}", err: ErrInvalidJSON},
		"bad escape":          {in: `{"a":"\x"}`, err: ErrInvalidJSON},
		"bad unicode escape":  {in: `{"a":"\u00g0"}`, err: ErrInvalidJSON},
		"leading zero":        {in: `{"a":01}`, err: ErrInvalidJSON},
		"bare minus":          {in: `{"a":-}`, err: ErrInvalidJSON},
		"NUL":                 {in: "\x00", err: ErrInvalidJSON},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, flaws, err := ReadObject([]byte(c.in))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if !slices.Equal(o.Keys(), c.keys) {
				t.Errorf("keys %q, want %q", o.Keys(), c.keys)
			}
			if !slices.Equal(flaws, c.flaws) {
				t.Errorf("flaws %v, want %v", flaws, c.flaws)
			}
			if o.Len() != len(c.keys) {
				t.Errorf("len %d, want %d", o.Len(), len(c.keys))
			}
		})
	}
}

func TestObjectGet(t *testing.T) {
	t.Parallel()
	o, _, err := ReadObject([]byte(`{"isError": true ,"IsError":false,"isError":false,"n":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := o.Get("isError"); !ok || string(v) != "true" {
		t.Errorf("isError = %q, %v; want the first value without white space", v, ok)
	}
	if v, ok := o.Get("n"); !ok || KindOf(v) != KindNull {
		t.Errorf("n = %q, %v; want a null that is present", v, ok)
	}
	if v, ok := o.Get("iserror"); ok || KindOf(v) != KindInvalid {
		t.Errorf("iserror = %q, %v; want nothing", v, ok)
	}
	if !o.Duplicated("isError") || o.Duplicated("IsError") || o.Duplicated("missing") {
		t.Error("only isError is duplicated")
	}
}

func TestCaseVariants(t *testing.T) {
	t.Parallel()
	o, _, err := ReadObject([]byte(`{"isError":1,"IsError":2,"i\u017fError":3,"TOOLS":4,"TOOLS":5,"\u212aind":6,"tools\u0000":7,"other":8}`))
	if err != nil {
		t.Fatal(err)
	}
	got := CaseVariants(o, "isError", "tools", "kind")
	want := []string{"IsError", "iſError", "TOOLS", "\u212aind"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadArray(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		`[]`:                               {},
		` [ null , {"a":[1,2]} , "x,]" ] `: {`null`, `{"a":[1,2]}`, `"x,]"`},
		`[[],[[]]]`:                        {`[]`, `[[]]`},
	} {
		got, err := ReadArray([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if !slices.EqualFunc(got, want, func(a json.RawMessage, b string) bool { return string(a) == b }) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]error{
		`{}`: ErrNotArray, `[1,]`: ErrInvalidJSON, `[1 2]`: ErrInvalidJSON, `[`: ErrIncomplete, `[1] 2`: ErrInvalidJSON, `[NaN]`: ErrNonFinite,
	} {
		if _, err := ReadArray([]byte(in)); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", in, err, want)
		}
	}
}

func TestReadString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"a"`: "a", ` "" `: "", `"\"\\\/\b\f\n\r\t\u00e9"`: "\"\\/\b\f\n\r\té", "\"\xff\"": "\xff", `"\u0000"`: "\x00",
	} {
		if got, ok := ReadString(json.RawMessage(in)); !ok || got != want {
			t.Errorf("%s: got %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{``, `1`, `null`, `"a`, `"a"b`, `{"a":"b"}`} {
		if got, ok := ReadString(json.RawMessage(in)); ok {
			t.Errorf("%s: got %q, want none", in, got)
		}
	}
}

func TestReadInt(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		n         int64
		exact, ok bool
	}{
		`-32602`:                 {-32602, true, true},
		`0`:                      {0, true, true},
		`-0`:                     {0, true, true},
		`-32602.0`:               {-32602, false, true},
		`1e2`:                    {100, false, true},
		`1500e-2`:                {15, false, true},
		`1.5e1`:                  {15, false, true},
		`9223372036854775807`:    {9223372036854775807, true, true},
		`-9223372036854775808`:   {-9223372036854775808, true, true},
		`9223372036854775808`:    {9223372036854775807, true, true},
		`-1e999999999`:           {-9223372036854775808, false, true},
		`0e999999999`:            {0, false, true},
		`1.5`:                    {},
		`1e-1`:                   {},
		`1e99999999999999999999`: {},
		`"-32602"`:               {},
		`null`:                   {},
		`01`:                     {},
		``:                       {},
	} {
		n, exact, ok := ReadInt([]byte(in))
		if ok != want.ok || exact != want.exact || ok && n != want.n {
			t.Errorf("%s: got %d, %v, %v; want %+v", in, n, exact, ok, want)
		}
	}
}

// A schema that is nested without end must cost neither the list around it nor the stack.
func TestDepth(t *testing.T) {
	t.Parallel()
	deep := `{"deep":` + strings.Repeat(`{"a":[`, 500_000) + strings.Repeat(`]}`, 500_000) + `,"ok":1}`
	o, flaws, err := ReadObject([]byte(deep))
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := o.Get("ok"); string(v) != "1" {
		t.Errorf("ok = %q", v)
	}
	if !slices.Equal(flaws, []Flaw{TooDeep}) {
		t.Errorf("flaws %v", flaws)
	}
	if err := CheckDepth([]byte(deep)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("CheckDepth: %v", err)
	}
	nested := func(n int) []byte { return []byte(strings.Repeat(`[`, n) + strings.Repeat(`]`, n)) }
	if err := CheckDepth(nested(MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	if err := CheckDepth(nested(MaxDepth + 1)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("%d levels: %v", MaxDepth+1, err)
	}
	if _, flaws, _ := ReadObject([]byte(`{"a":` + string(nested(MaxDepth-1)) + `}`)); len(flaws) != 0 {
		t.Errorf("%d levels: flaws %v", MaxDepth, flaws)
	}
}

func FuzzReadObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1,"a":[2,{"b":null}]}`, `{"\u0061":"\ud83d\ude00"}`, "{\"a\":\"\xff\"}", `{"n":-0.5e+3}`, `{"a":NaN}`, `[{}]`, `{"a":{"b":`, "\ufeff{} x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, flaws, err := ReadObject(raw)
		if !slices.IsSorted(flaws) {
			t.Errorf("flaws %v are not sorted", flaws)
		}
		if utf8.Valid(raw) == slices.Contains(flaws, InvalidUTF8) {
			t.Errorf("flaws %v, utf8.Valid is %v", flaws, utf8.Valid(raw))
		}
		if err != nil {
			if o.Len() != 0 {
				t.Errorf("members beside error %v", err)
			}
			// encoding/json must refuse it as well, except that it stops at a depth of its own.
			if errors.Is(err, ErrInvalidJSON) && json.Valid(raw) {
				t.Errorf("encoding/json accepts what was refused: %v", err)
			}
			return
		}
		if plain := !slices.Contains(flaws, TrailingBytes) && !slices.Contains(flaws, JSONBOM) && !slices.Contains(flaws, TooDeep); plain {
			if !json.Valid(raw) {
				t.Error("encoding/json refuses what was accepted")
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(raw, &members); err != nil {
				t.Fatal(err)
			}
			if utf8.Valid(raw) && len(members) != len(o.first) {
				t.Errorf("%d different keys, encoding/json has %d", len(o.first), len(members))
			}
		}
		for _, v := range o.values {
			if KindOf(v) == KindInvalid {
				t.Errorf("value %q is invalid", v)
			}
		}
	})
}
