package job

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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
	return w.try(ctx, job.Args.Run, len(job.Errors), func(ctx context.Context) error { return w.work(ctx, job) })
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
				if err := w.enter(ctx, tx, job.Args.Run, Classify, Estimate); err != nil {
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

// reading is a transcript with the hash of what each classifier reads of it.
type reading struct {
	target     int64
	transcript *wire.Transcript
	hashes     [][sha256.Size]byte // in the order of the classifiers
}

func (w *classifyWorker) classify(ctx context.Context, run string, all []classifier.Classifier, batch []queries.UnclassifiedProbesRow) error {
	began := time.Now()
	readings, err := iter.MapErr(batch, func(p *queries.UnclassifiedProbesRow) (reading, error) {
		t, err := loadTranscript(ctx, queries.New(w.Pool), run, *p)
		if err != nil {
			return reading{}, err
		}
		r := reading{target: p.TargetID, transcript: t}
		for _, c := range all {
			r.hashes = append(r.hashes, classifier.EvidenceHash(c, t))
		}
		return r, nil
	})
	if err != nil {
		return err
	}
	known, err := w.known(ctx, all, readings)
	if err != nil {
		return err
	}
	var sum verdicts
	for _, v := range iter.Map(readings, func(r *reading) verdicts { return judge(run, *r, all, known) }) {
		sum.evidence = append(sum.evidence, v.evidence...)
		sum.findings = append(sum.findings, v.findings...)
		sum.tools = append(sum.tools, v.tools...)
	}
	// The evidence goes last: it marks the probes as done.
	if err := w.project(ctx, sum.tools); err != nil {
		return err
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
	w.Metrics.classified(len(batch), time.Since(began))
	return nil
}

// known tells which evidence has findings of these classifier versions already, from this run or another one: it is not
// classified again.
func (w *classifyWorker) known(ctx context.Context, all []classifier.Classifier, readings []reading) ([]map[string]bool, error) {
	known := make([]map[string]bool, len(all))
	for i, c := range all {
		hashes := make([][]byte, len(readings))
		for j := range readings {
			hashes[j] = readings[j].hashes[i][:]
		}
		found, err := queries.New(w.Pool).KnownEvidence(ctx, queries.KnownEvidenceParams{Classifier: c.Name, Version: int32(c.Version), Hashes: hashes})
		if err != nil {
			return nil, fmt.Errorf("look up known evidence: %w", err)
		}
		known[i] = map[string]bool{}
		for _, hash := range found {
			known[i][string(hash)] = true
		}
	}
	return known, nil
}

func judge(run string, r reading, all []classifier.Classifier, known []map[string]bool) verdicts {
	t := r.transcript
	v := verdicts{tools: toolRows(t)}
	for i, c := range all {
		hash := r.hashes[i]
		v.evidence = append(v.evidence, queries.Evidence{
			RunID: run, TargetID: r.target, Purpose: string(t.Purpose), Visit: int32(t.Visit),
			Classifier: c.Name, Version: int32(c.Version), EvidenceSha256: hash[:],
		})
		if known[i][string(hash[:])] {
			continue
		}
		for _, f := range classifier.Run(c, t) {
			v.findings = append(v.findings, findingRow(c, hash, f))
		}
	}
	return v
}

// project stores tools. The projection is a convenience, and jsonb has limits that are easier to hit than to foresee: a
// tool that the database refuses is stored without its definition, and keeps no other one out.
func (w *classifyWorker) project(ctx context.Context, tools []queries.Tool) error {
	err := w.inTx(ctx, func(tx pgx.Tx) error { return queries.InsertTools(ctx, tx, tools) })
	if !isDataError(err) {
		return err
	}
	for _, tool := range tools {
		one := func(tx pgx.Tx) error { return queries.InsertTools(ctx, tx, []queries.Tool{tool}) }
		if err = w.inTx(ctx, one); isDataError(err) {
			reason := err.Error()
			tool.Definition, tool.ProjectionError = nil, &reason
			err = w.inTx(ctx, one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isDataError reports whether the database refused a value, and not the work as a whole: class 22 of its codes, or a
// limit that a value exceeded (class 54).
func isDataError(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "22") || strings.HasPrefix(refused.Code, "54"))
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
