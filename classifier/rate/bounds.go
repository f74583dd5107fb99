package rate

import "fmt"

// Bounds are the rates that the eligible units can have, whatever the units without an answer are.
type Bounds struct {
	Interval          // none, or all, of the units without an answer are positive
	Outer    Interval // lower Wilson limit of the lower bound and upper Wilson limit of the upper bound
}

// Manski bounds the share of positives among eligible units, of which answered gave an answer and positive a positive
// one (Manski 1989): [positive/eligible, (positive+eligible-answered)/eligible]. Units that the question does not
// concern must have been taken out of eligible before.
func Manski(eligible, answered, positive int64, level float64) (Bounds, error) {
	if eligible <= 0 || positive < 0 || answered < positive || eligible < answered {
		return Bounds{}, fmt.Errorf("%w: %d positive of %d answered of %d eligible", ErrCounts, positive, answered, eligible)
	}
	top := positive + eligible - answered
	return Bounds{
		Interval: Interval{float64(positive) / float64(eligible), float64(top) / float64(eligible)},
		Outer:    Interval{Wilson(positive, eligible, level).Lo, Wilson(top, eligible, level).Hi},
	}, nil
}
