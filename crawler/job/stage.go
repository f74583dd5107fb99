package job

// Stage is a part of a run. A run goes through them in this order.
type Stage string

// The stages, as stored in run.stage.
const (
	Walk     Stage = "walk"
	Frame    Stage = "frame"
	Probe    Stage = "probe"
	Classify Stage = "classify"
	Estimate Stage = "estimate"
	Closed   Stage = "closed"
)

// Goal is the stage after which a run pauses, as stored in run.goal.
type Goal string

// The goals.
const (
	GoalFrame Goal = "frame"  // walk the registry and make the frame, visit nobody
	GoalProbe Goal = "probe"  // also visit, do not classify
	GoalAll   Goal = "closed" // everything
)

// reached reports whether a run with this goal pauses when it arrives at stage.
func (g Goal) reached(stage Stage) bool {
	switch g {
	case GoalFrame:
		return stage != Walk && stage != Frame
	case GoalProbe:
		return stage != Walk && stage != Frame && stage != Probe
	default:
		return stage == Closed
	}
}
