package wire

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]struct {
		pause time.Duration
		form  RetryAfterForm
	}{
		"":                                {0, RetryAfterNone},
		"  ":                              {0, RetryAfterNone},
		"0":                               {0, RetryAfterSeconds},
		" 0 ":                             {0, RetryAfterSeconds},
		"5":                               {5 * time.Second, RetryAfterSeconds},
		"-5":                              {0, RetryAfterInvalid},
		"9999999999":                      {0, RetryAfterInvalid},
		"99999999999999999999":            {0, RetryAfterInvalid},
		"Tue, 01 Dec 2026 12:01:00 GMT":   {time.Minute, RetryAfterDate},
		"120":                             {2 * time.Minute, RetryAfterSeconds},
		" 120\t":                          {2 * time.Minute, RetryAfterSeconds},
		"0000000000000000000000000007":    {7 * time.Second, RetryAfterSeconds},
		"9223372036":                      {9223372036 * time.Second, RetryAfterSeconds},
		"9223372037":                      {0, RetryAfterInvalid},
		"99999999999999999999999":         {0, RetryAfterInvalid},
		"-1":                              {0, RetryAfterInvalid},
		"+1":                              {0, RetryAfterInvalid},
		"1.5":                             {0, RetryAfterInvalid},
		"1e3":                             {0, RetryAfterInvalid},
		"60s":                             {0, RetryAfterInvalid},
		"60, 60":                          {0, RetryAfterInvalid},
		"١٢٠":                             {0, RetryAfterInvalid},
		"\uff11\uff12\uff10":              {0, RetryAfterInvalid},
		"soon":                            {0, RetryAfterInvalid},
		"Tue, 01 Dec 2026 12:00:30 GMT":   {30 * time.Second, RetryAfterDate},
		"Tue, 01 Dec 2026 11:00:00 GMT":   {0, RetryAfterDate},
		"Tuesday, 01-Dec-26 12:00:30 GMT": {30 * time.Second, RetryAfterDate},
		"Tue Dec  1 12:00:30 2026":        {30 * time.Second, RetryAfterDate},
		"Fri, 31 Dec 9999 23:59:59 GMT":   {0, RetryAfterInvalid},
		"Tue, 01 Dec 2026 12:00:30 CET":   {0, RetryAfterInvalid},
		"2026-12-01T12:00:30Z":            {0, RetryAfterInvalid},
	} {
		pause, form := RetryAfter(header, noon)
		if pause != want.pause || form != want.form {
			t.Errorf("%q: %v, %d; want %v, %d", header, pause, form, want.pause, want.form)
		}
	}
}

func TestRetryAfterMs(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]time.Duration{
		`{"retryAfterMs":1500,"limit":10}`:            1500 * time.Millisecond,
		`{"retryAfterMs":0}`:                          0,
		`{"retryAfterMs":1500.0}`:                     1500 * time.Millisecond,
		`{"retryAfterMs":99999999999999999999999999}`: math.MaxInt64,
	} {
		if got, ok := RetryAfterMs(json.RawMessage(data)); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", data, got, ok, want)
		}
	}
	for _, data := range []string{``, `null`, `[]`, `"x"`, `{}`, `{"retryAfterMs":-1}`, `{"retryAfterMs":"1500"}`, `{"retryAfterMs":1.5}`,
		`{"retryAfterMs":null}`, `{"RetryAfterMs":1}`, `{"retryAfter":42}`} {
		if got, ok := RetryAfterMs(json.RawMessage(data)); ok {
			t.Errorf("%s: %v, want none", data, got)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, data string
		want         time.Duration
		ok           bool
	}{
		{"3600", `{"retryAfterMs":100}`, 100 * time.Millisecond, true}, // RL-9
		{"3600", `{"retryAfterMs":0}`, 0, true},
		{"3600", `{"retryAfterMs":"x"}`, time.Hour, true},
		{"3600", ``, time.Hour, true},
		{"", `{"retryAfterMs":100}`, 100 * time.Millisecond, true},
		{"5", `{"retryAfterMs":-1}`, 5 * time.Second, true},
		{"5", `{"RetryAfterMs":1}`, 5 * time.Second, true},
		{" 0 ", ``, 0, true},
		{"", `7`, 0, false},
		{"soon", ``, 0, false},
		{"", ``, 0, false},
	} {
		got, ok := Asked(c.header, json.RawMessage(c.data), noon)
		if got != c.want || ok != c.ok {
			t.Errorf("%q and %s: %v, %v; want %v, %v", c.header, c.data, got, ok, c.want, c.ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "120", "-1", "9223372037", "Tue, 01 Dec 2026 12:00:30 GMT", "Tuesday, 01-Dec-26 12:00:30 GMT", "١٢٠"} {
		f.Add(seed, `{"retryAfterMs":1500}`)
		f.Add(seed, `{"retryAfterMs":1e99}`)
	}
	f.Fuzz(func(t *testing.T, field, data string) {
		pause, form := RetryAfter(field, noon)
		if pause < 0 {
			t.Errorf("negative pause %v", pause)
		}
		if (form == RetryAfterNone || form == RetryAfterInvalid) && pause != 0 {
			t.Errorf("pause %v of form %d", pause, form)
		}
		if _, err := http.ParseTime(field); err == nil && form == RetryAfterSeconds {
			t.Errorf("a date was read as seconds")
		}
		if asked, ok := Asked(field, json.RawMessage(data), noon); asked < 0 || !ok && asked != 0 {
			t.Errorf("pause %v, asked for: %v", asked, ok)
		}
	})
}
