package job

import (
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The kinds of queues. Control jobs are few and long, probes many and waiting, classification binds the processor.
const (
	queueControl  = "control"
	queueProbe    = "probe"
	queueClassify = "classify"
)

// queueOf names the queue of a run. Each run has queues of its own, so that a process works the run that it drives and
// never one that an operator has stopped. River allows letters, digits, - and _ in a name.
func queueOf(kind, run string) string { return kind + "-" + strings.ReplaceAll(run, ".", "_") }

// Priorities within the probe queue: a host that has begun goes on before another one begins, or the largest host, which
// bounds the run, would wait behind all others after each slice.
const (
	priorityContinue = 1
	priorityBegin    = 2
)

// maxTries is how often a job may fail by our own fault before the run says so and pauses.
const maxTries = 5

// liveStates are those of jobs that will still be worked; at most one job with the same arguments may be in them.
func liveStates() []rivertype.JobState {
	return []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}
}

func insertOpts(kind, run string) river.InsertOpts {
	return river.InsertOpts{
		Queue: queueOf(kind, run),
		// Above maxTries, so that River never discards a job on its own: the worker decides at maxTries, and a rescue
		// after a crash costs an attempt too.
		MaxAttempts: 100,
		UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: liveStates()},
	}
}

type walkArgs struct {
	Run string `json:"run"`
}

func (walkArgs) Kind() string                   { return "walk_registry" }
func (a walkArgs) InsertOpts() river.InsertOpts { return insertOpts(queueControl, a.Run) }

type frameArgs struct {
	Run string `json:"run"`
}

func (frameArgs) Kind() string                   { return "frame_targets" }
func (a frameArgs) InsertOpts() river.InsertOpts { return insertOpts(queueControl, a.Run) }

type probeArgs struct {
	Run   string `json:"run"`
	Host  string `json:"host"`
	Slice int    `json:"slice"` // a continuation is another job while this one still runs
}

func (probeArgs) Kind() string                   { return "probe_host" }
func (a probeArgs) InsertOpts() river.InsertOpts { return insertOpts(queueProbe, a.Run) }

type classifyArgs struct {
	Run   string `json:"run"`
	Slice int    `json:"slice"`
}

func (classifyArgs) Kind() string                   { return "classify_run" }
func (a classifyArgs) InsertOpts() river.InsertOpts { return insertOpts(queueClassify, a.Run) }

type estimateArgs struct {
	Run string `json:"run"`
}

func (estimateArgs) Kind() string                   { return "estimate_run" }
func (a estimateArgs) InsertOpts() river.InsertOpts { return insertOpts(queueControl, a.Run) }

// River's timings. A job takes nothing new after sliceTime, so that a visit that began just before (robots.txt, the visit
// itself, storing it: at most 80 s) fits under the timeout that all jobs share; DESIGN has 60 s for the slice, which does
// not leave room for that. A worker that died is noticed by its lease within seconds, and by River's rescue at the latest.
const (
	sliceTime   = 40 * time.Second
	jobTimeout  = 125 * time.Second
	rescueAfter = 130 * time.Second
	noTimeout   = -1
)

// retryPolicy waits 1, 2, 4 … seconds, at most a minute.
type retryPolicy struct{ now func() time.Time }

func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	wait := time.Minute
	if n := len(job.Errors); n < 6 {
		wait = time.Second << n
	}
	return p.now().Add(wait)
}
