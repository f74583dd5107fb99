package polite

import "time"

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
