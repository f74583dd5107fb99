package wire

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfterForm is how a Retry-After field was written. No transcript holds it.
type RetryAfterForm int

// The forms.
const (
	RetryAfterNone    RetryAfterForm = iota // no such field, or an empty one
	RetryAfterSeconds                       // delta-seconds
	RetryAfterDate                          // HTTP-date
	RetryAfterInvalid                       // neither, or beyond what a time.Duration can hold (292 years)
)

// RetryAfter reads the value of a Retry-After field (RFC 9110 §10.2.3) and returns the pause it asks for, counted from
// now. A date in the past is a pause of 0. The pause is 0 for RetryAfterNone and RetryAfterInvalid.
func RetryAfter(field string, now time.Time) (time.Duration, RetryAfterForm) {
	value := strings.Trim(field, " \t")
	if value == "" {
		return 0, RetryAfterNone
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			return 0, RetryAfterInvalid
		}
		return time.Duration(seconds) * time.Second, RetryAfterSeconds
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, RetryAfterInvalid
	}
	pause := date.Sub(now) // saturates
	if pause == math.MaxInt64 {
		return 0, RetryAfterInvalid
	}
	return max(pause, 0), RetryAfterDate
}

// RetryAfterMs reads the member retryAfterMs from the data of a JSON-RPC error, a whole number of milliseconds that is
// not negative (draft SEP-3304). Numbers too large for a time.Duration are cut to the largest.
func RetryAfterMs(data json.RawMessage) (pause time.Duration, ok bool) {
	o, _, err := ReadObject(data)
	if err != nil {
		return 0, false
	}
	raw, _ := o.Get("retryAfterMs")
	ms, _, ok := ReadInt(raw)
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
func Asked(field string, data json.RawMessage, now time.Time) (pause time.Duration, ok bool) {
	if pause, ok = RetryAfterMs(data); ok {
		return pause, true
	}
	pause, form := RetryAfter(field, now)
	return pause, form == RetryAfterSeconds || form == RetryAfterDate
}
