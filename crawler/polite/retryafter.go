package polite

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Form is how a Retry-After field was written.
type Form string

// The forms.
const (
	FormNone    Form = "none"    // no such field, or an empty one
	FormSeconds Form = "seconds" // delta-seconds
	FormDate    Form = "date"    // HTTP-date
	FormInvalid Form = "invalid" // neither, or beyond what a time.Duration can hold (292 years)
)

// RetryAfter reads the value of a Retry-After field (RFC 9110 §10.2.3) and returns the pause it asks for, counted from
// now. A date in the past is a pause of 0. The pause is 0 for FormNone and FormInvalid.
func RetryAfter(header string, now time.Time) (time.Duration, Form) {
	value := strings.Trim(header, " \t")
	if value == "" {
		return 0, FormNone
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			return 0, FormInvalid
		}
		return time.Duration(seconds) * time.Second, FormSeconds
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, FormInvalid
	}
	pause := date.Sub(now) // saturates
	if pause == math.MaxInt64 {
		return 0, FormInvalid
	}
	return max(pause, 0), FormDate
}

// RetryAfterMs reads the member retryAfterMs from the data of a JSON-RPC error, a whole number of milliseconds that is
// not negative (draft SEP-3304). Numbers too large for a time.Duration are cut to the largest.
func RetryAfterMs(data json.RawMessage) (pause time.Duration, ok bool) {
	o, _, err := wire.ReadObject(data)
	if err != nil {
		return 0, false
	}
	raw, _ := o.Get("retryAfterMs")
	ms, _, ok := wire.ReadInt(raw)
	if !ok || ms < 0 {
		return 0, false
	}
	if ms > int64(math.MaxInt64/time.Millisecond) {
		return math.MaxInt64, true
	}
	return time.Duration(ms) * time.Millisecond, true
}

// Asked returns the pause that an answer asks for, and whether it asks for one: retryAfterMs in the data of its error
// if there is a usable one, otherwise the Retry-After field (draft SEP-3304, rule RL-9).
func Asked(header string, data json.RawMessage, now time.Time) (pause time.Duration, ok bool) {
	if pause, ok = RetryAfterMs(data); ok {
		return pause, true
	}
	pause, form := RetryAfter(header, now)
	return pause, form == FormSeconds || form == FormDate
}

// MaxPause is the longest pause that the census waits for.
const MaxPause = 15 * time.Minute

// Pause turns the pause that a server asked for into the one to keep: at most MaxPause, and then up to a quarter more,
// so that many waiting clients do not come back at once (rules RL-7 and RL-8). random returns a number in [0, 1).
//
// It is never shorter than what was asked, unless deferred is true: then the server asked for more than MaxPause, and
// the request must not be repeated in this visit at all.
func Pause(asked time.Duration, random func() float64) (pause time.Duration, deferred bool) {
	kept := min(max(asked, 0), MaxPause)
	return kept + time.Duration(random()*float64(kept)/4), asked > MaxPause
}
