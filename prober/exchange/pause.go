package exchange

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// RateLimited is the error code of draft SEP-3304.
const RateLimited = -32023

// RetryAfter reads the pause that a Retry-After field asks for (RFC 9110 §10.2.3: seconds, or a date), and whether
// there is a usable one.
func RetryAfter(h wire.Header, now time.Time) (time.Duration, bool) {
	value, sent := h.Get("Retry-After")
	value = strings.TrimSpace(value)
	if !sent || value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			return 0, false
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now)), true
}

// retryAfterMs reads the pause in the data of a JSON-RPC error, in milliseconds (draft SEP-3304).
func retryAfterMs(m *wire.Message) (time.Duration, bool) {
	if m == nil || m.Error == nil {
		return 0, false
	}
	data, _, err := wire.ReadObject(m.Error.Data)
	if err != nil {
		return 0, false
	}
	raw, _ := data.Get("retryAfterMs")
	ms, _, ok := wire.ReadInt(raw)
	if !ok || ms < 0 || ms > int64(math.MaxInt64/time.Millisecond) {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// Pause returns the pause that an answer asks for: retryAfterMs in its error before the Retry-After field (rule RL-9 of
// draft SEP-3304).
func Pause(h wire.Header, m *wire.Message, now time.Time) (time.Duration, bool) {
	if pause, ok := retryAfterMs(m); ok {
		return pause, true
	}
	return RetryAfter(h, now)
}
