package polite

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
		form  Form
	}{
		"":                                {0, FormNone},
		"  ":                              {0, FormNone},
		"0":                               {0, FormSeconds},
		"120":                             {2 * time.Minute, FormSeconds},
		" 120\t":                          {2 * time.Minute, FormSeconds},
		"0000000000000000000000000007":    {7 * time.Second, FormSeconds},
		"9223372036":                      {9223372036 * time.Second, FormSeconds},
		"9223372037":                      {0, FormInvalid},
		"99999999999999999999999":         {0, FormInvalid},
		"-1":                              {0, FormInvalid},
		"+1":                              {0, FormInvalid},
		"1.5":                             {0, FormInvalid},
		"1e3":                             {0, FormInvalid},
		"60s":                             {0, FormInvalid},
		"60, 60":                          {0, FormInvalid},
		"١٢٠":                             {0, FormInvalid},
		"\uff11\uff12\uff10":              {0, FormInvalid},
		"soon":                            {0, FormInvalid},
		"Tue, 01 Dec 2026 12:00:30 GMT":   {30 * time.Second, FormDate},
		"Tue, 01 Dec 2026 11:00:00 GMT":   {0, FormDate},
		"Tuesday, 01-Dec-26 12:00:30 GMT": {30 * time.Second, FormDate},
		"Tue Dec  1 12:00:30 2026":        {30 * time.Second, FormDate},
		"Fri, 31 Dec 9999 23:59:59 GMT":   {0, FormInvalid},
		"Tue, 01 Dec 2026 12:00:30 CET":   {0, FormInvalid},
		"2026-12-01T12:00:30Z":            {0, FormInvalid},
	} {
		pause, form := RetryAfter(header, noon)
		if pause != want.pause || form != want.form {
			t.Errorf("%q: %v, %s; want %v, %s", header, pause, form, want.pause, want.form)
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
		{"soon", ``, 0, false},
		{"", ``, 0, false},
	} {
		got, ok := Asked(c.header, json.RawMessage(c.data), noon)
		if got != c.want || ok != c.ok {
			t.Errorf("%q and %s: %v, %v; want %v, %v", c.header, c.data, got, ok, c.want, c.ok)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked    time.Duration
		random   float64
		want     time.Duration
		deferred bool
	}{
		{0, 0.5, 0, false},
		{-time.Second, 0.5, 0, false},
		{8 * time.Second, 0, 8 * time.Second, false},
		{8 * time.Second, 0.5, 9 * time.Second, false},
		{MaxPause, 0, MaxPause, false},
		{MaxPause + 1, 0, MaxPause, true},
		{math.MaxInt64, 0.5, MaxPause + MaxPause/8, true},
	} {
		got, deferred := Pause(c.asked, func() float64 { return c.random })
		if got != c.want || deferred != c.deferred {
			t.Errorf("%v with %v: %v, %v; want %v, %v", c.asked, c.random, got, deferred, c.want, c.deferred)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "120", "-1", "9223372037", "Tue, 01 Dec 2026 12:00:30 GMT", "Tuesday, 01-Dec-26 12:00:30 GMT", "١٢٠"} {
		f.Add(seed, 0.5)
	}
	f.Fuzz(func(t *testing.T, header string, random float64) {
		asked, form := RetryAfter(header, noon)
		if asked < 0 {
			t.Errorf("negative pause %v", asked)
		}
		if (form == FormNone || form == FormInvalid) && asked != 0 {
			t.Errorf("pause %v of form %s", asked, form)
		}
		if _, err := http.ParseTime(header); err == nil && form == FormSeconds {
			t.Errorf("a date was read as seconds")
		}
		if in := random >= 0 && random < 1; !in {
			return
		}
		pause, deferred := Pause(asked, func() float64 { return random })
		if pause < asked && !deferred {
			t.Errorf("pause %v is shorter than the %v asked", pause, asked)
		}
		if pause > MaxPause+MaxPause/4 {
			t.Errorf("pause %v is beyond the cap", pause)
		}
	})
}
