package job

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// faultLog tells the operator of our own faults, which River otherwise keeps in its table.
type faultLog struct{ log *slog.Logger }

// HandleError logs a job that failed and will be tried again.
func (f faultLog) HandleError(_ context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.log.Warn("a job failed and will be tried again", "job", job.Kind, "args", string(job.EncodedArgs), "attempt", job.Attempt, "error", err)
	return nil
}

// HandlePanic logs a job that panicked, with where.
func (f faultLog) HandlePanic(_ context.Context, job *rivertype.JobRow, panicked any, trace string) *river.ErrorHandlerResult {
	f.log.Error("a job panicked", "job", job.Kind, "args", string(job.EncodedArgs), "panic", panicked, "trace", trace)
	return nil
}
