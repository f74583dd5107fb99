package job

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/sourcegraph/conc/iter"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// classifyBatch is how many probes are read, classified and committed together.
const classifyBatch = 200

// classifyWorker derives findings from the stored transcripts of a run. What it has committed is skipped when it begins
// again, so it may be stopped at any moment.
type classifyWorker struct {
	river.WorkerDefaults[classifyArgs]
	*process
}

func (w *classifyWorker) Work(ctx context.Context, job *river.Job[classifyArgs]) error {
	return w.try(ctx, job.Args.Run, len(job.Errors), func() error { return w.work(ctx, job) })
}

func (w *classifyWorker) work(ctx context.Context, job *river.Job[classifyArgs]) error {
	began := w.Clock.Now()
	all := suite.All()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = fmt.Sprintf("%s/%d", c.Name, c.Version)
	}
	after := queries.UnclassifiedProbesParams{RunID: job.Args.Run, AfterTarget: minTarget, Classifiers: names, AtMost: classifyBatch}
	for {
		if w.isStopping() {
			return river.JobSnooze(0)
		}
		if w.Clock.Now().Sub(began) > w.Slice {
			return w.inTx(ctx, func(tx pgx.Tx) error {
				next := classifyArgs{Run: job.Args.Run, Slice: job.Args.Slice + 1}
				if _, err := w.client.InsertTx(ctx, tx, next, nil); err != nil {
					return fmt.Errorf("enqueue the next slice: %w", err)
				}
				return complete(ctx, tx, job)
			})
		}
		batch, err := queries.New(w.Pool).UnclassifiedProbes(ctx, after)
		if err != nil {
			return fmt.Errorf("list what is not classified: %w", err)
		}
		if len(batch) == 0 {
			return w.inTx(ctx, func(tx pgx.Tx) error {
				if err := w.enter(ctx, tx, job.Args.Run, Estimate); err != nil {
					return err
				}
				return complete(ctx, tx, job)
			})
		}
		if err := w.classify(ctx, job.Args.Run, all, batch); err != nil {
			return err
		}
		last := batch[len(batch)-1]
		after.AfterTarget, after.AfterPurpose, after.AfterVisit = last.TargetID, last.Purpose, last.Visit
	}
}

// minTarget is below every target id.
const minTarget = -1 << 63

// verdicts is what one probe gives.
type verdicts struct {
	evidence []queries.Evidence
	findings []queries.Finding
	tools    []queries.Tool
}

func (w *classifyWorker) classify(ctx context.Context, run string, all []classifier.Classifier, batch []queries.UnclassifiedProbesRow) error {
	began := time.Now()
	results, err := iter.MapErr(batch, func(p *queries.UnclassifiedProbesRow) (verdicts, error) {
		t, err := loadTranscript(ctx, queries.New(w.Pool), run, *p)
		if err != nil {
			return verdicts{}, err
		}
		return judge(run, p.TargetID, t, all), nil
	})
	if err != nil {
		return err
	}
	var sum verdicts
	for _, r := range results {
		sum.evidence = append(sum.evidence, r.evidence...)
		sum.findings = append(sum.findings, r.findings...)
		sum.tools = append(sum.tools, r.tools...)
	}
	err = w.inTx(ctx, func(tx pgx.Tx) error {
		if err := queries.InsertFindings(ctx, tx, sum.findings); err != nil {
			return err
		}
		return queries.InsertEvidence(ctx, tx, sum.evidence)
	})
	if err != nil {
		return err
	}
	// The projection has a statement of its own: should it fail, the findings stand.
	if err := w.inTx(ctx, func(tx pgx.Tx) error { return queries.InsertTools(ctx, tx, sum.tools) }); err != nil {
		w.Log.Warn("could not project the tools of a batch", "error", err)
	}
	w.Metrics.classified(len(batch), time.Since(began))
	return nil
}

func judge(run string, target int64, t *wire.Transcript, all []classifier.Classifier) verdicts {
	var v verdicts
	for _, c := range all {
		hash := classifier.EvidenceHash(c, t)
		v.evidence = append(v.evidence, queries.Evidence{
			RunID: run, TargetID: target, Purpose: string(t.Purpose), Visit: int32(t.Visit),
			Classifier: c.Name, Version: int32(c.Version), EvidenceSha256: hash[:],
		})
		for _, f := range classifier.Run(c, t) {
			v.findings = append(v.findings, findingRow(c, hash, f))
		}
	}
	v.tools = toolRows(t)
	return v
}

func findingRow(c classifier.Classifier, hash [sha256.Size]byte, f classifier.Finding) queries.Finding {
	exchanges := make([]int32, len(f.Evidence))
	for i, seq := range f.Evidence {
		exchanges[i] = int32(seq)
	}
	return queries.Finding{
		Classifier: c.Name, Version: int32(c.Version), EvidenceSha256: hash[:], Question: f.Question,
		Tool: int32(f.Tool), ToolName: text(f.ToolName), Answer: string(f.Answer), Label: text(f.Label), Reason: f.Reason,
		Exchanges: exchanges,
	}
}
