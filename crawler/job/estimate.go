package job

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/rate"
	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/queries"
)

// The strata under which a question is stored in table rate.
const (
	stratumAll    = ""       // the rate itself
	stratumLabels = "labels" // the distribution of its labels
)

// listQuestion is the question whose missing units are the endpoints without tools to count.
const listQuestion = "tool_list.parseable"

// estimateWorker counts the findings of a run and stores one row for each question.
type estimateWorker struct {
	river.WorkerDefaults[estimateArgs]
	*process
}

// Timeout: the work is one transaction, however long it takes.
func (w *estimateWorker) Timeout(*river.Job[estimateArgs]) time.Duration { return noTimeout }

func (w *estimateWorker) Work(ctx context.Context, job *river.Job[estimateArgs]) error {
	return w.try(ctx, job.Args.Run, len(job.Errors), func(ctx context.Context) error {
		return w.inTx(ctx, func(tx pgx.Tx) error {
			if err := w.estimate(ctx, tx, job.Args.Run); err != nil {
				return err
			}
			if err := w.enter(ctx, tx, job.Args.Run, Estimate, Closed); err != nil {
				return err
			}
			return complete(ctx, tx, job)
		})
	})
}

func (w *estimateWorker) estimate(ctx context.Context, tx pgx.Tx, run string) error {
	q := queries.New(tx)
	frame, err := frameOf(ctx, q, run)
	if err != nil {
		return err
	}
	all := suite.All()
	answers := map[string]*answers{}
	for _, c := range all {
		if err := countAnswers(ctx, q, run, c, answers); err != nil {
			return err
		}
	}
	lists, ok := answers[listQuestion]
	if !ok {
		return fmt.Errorf("no classifier answers %s", listQuestion)
	}
	e := estimator{q: q, run: run, now: w.Clock.Now().UTC(), frame: frame, noList: lists.withoutList(frame.N)}
	for _, c := range all {
		for _, question := range c.Questions {
			if err := e.store(ctx, c, question, answers[question.ID]); err != nil {
				return fmt.Errorf("estimate %s: %w", question.ID, err)
			}
		}
	}
	return nil
}

// frameOf describes what a run was to visit: all eligible endpoints, or a sample of them.
func frameOf(ctx context.Context, q *queries.Queries, run string) (rate.Frame, error) {
	n, err := q.CountEligible(ctx, run)
	if err != nil {
		return rate.Frame{}, fmt.Errorf("count the eligible targets: %w", err)
	}
	f := rate.Frame{N: n.Sampled, Unit: classifier.UnitEndpoint, Def: "eligible canonical endpoints of the run"}
	if n.Sampled != n.Eligible {
		f.Noun = "sampled"
		f.Def = fmt.Sprintf("a random sample of the %d eligible canonical endpoints of the run", n.Eligible)
	}
	return f, nil
}

// answers are what was found on one question.
type answers struct {
	operators, publishers clusterCounter
	excluded              map[string]int64 // not applicable, by reason
	missing               map[string]int64 // neither true nor false, by reason
	labels                map[string]int64 // of the units with a verdict
	verdicts, units       int64
}

func newAnswers() *answers {
	return &answers{
		operators: clusterCounter{}, publishers: clusterCounter{}, excluded: map[string]int64{}, missing: map[string]int64{}, labels: map[string]int64{},
	}
}

// countAnswers asks the database for integers; everything else is made of them.
func countAnswers(ctx context.Context, q *queries.Queries, run string, c classifier.Classifier, all map[string]*answers) error {
	for _, question := range c.Questions {
		all[question.ID] = newAnswers()
	}
	rows, err := q.AnswerCounts(ctx, queries.AnswerCountsParams{RunID: run, Classifier: c.Name, Version: int32(c.Version)})
	if err != nil {
		return fmt.Errorf("count the answers of %s: %w", c.Name, err)
	}
	for _, r := range rows {
		if a := all[r.Question]; a != nil { // a question of this version, unless its definition was edited without a new one
			a.add(r)
		}
	}
	return nil
}

func (a *answers) add(r queries.AnswerCountsRow) {
	a.units += r.Units
	reason := cmp.Or(r.Reason, r.Answer)
	switch answer := classifier.Answer(r.Answer); answer {
	case classifier.True, classifier.False:
		a.verdicts += r.Units
		a.operators.add(r.Operator, answer, r.Units)
		a.publishers.add(r.Publisher, answer, r.Units)
		if r.Label != "" {
			a.labels[r.Label] += r.Units
		}
	case classifier.NotApplicable:
		a.excluded[reason] += r.Units
	default:
		a.missing[reason] += r.Units
	}
}

// missingOf returns the units without a verdict, by cause. Every endpoint of the frame is accounted for: one without a
// finding was not visited.
func (a *answers) missingOf(frame int64) map[string]int64 {
	missing := maps.Clone(a.missing)
	if a.units < frame {
		missing["not_visited"] = frame - a.units
	}
	return missing
}

// withoutList counts, by cause, the endpoints whose tools nobody knows.
func (a *answers) withoutList(frame int64) map[string]int64 {
	without := a.missingOf(frame)
	for reason, units := range a.excluded {
		without[reason] += units
	}
	for _, c := range a.operators {
		if unparseable := c.M - c.Y; unparseable > 0 {
			without["list_unparseable"] += unparseable
		}
	}
	return without
}

// estimator turns counts into rows for one run.
type estimator struct {
	q      *queries.Queries
	run    string
	now    time.Time
	frame  rate.Frame
	noList map[string]int64 // endpoints without a tools list, by cause
}

func (e *estimator) store(ctx context.Context, c classifier.Classifier, question classifier.Question, a *answers) error {
	subject := e.subject(c, question, a)
	row, err := rate.Build(rate.Input{
		Subject: subject, Numerator: question.Numerator, Operators: a.operators.list(), Publishers: a.publishers.list(),
	})
	if err != nil {
		return err
	}
	if broken := rate.Lint(row); len(broken) > 0 {
		return fmt.Errorf("the row breaks a rule of published numbers: %s", strings.Join(broken, "; "))
	}
	if err := e.put(ctx, c, question.ID, stratumAll, row); err != nil {
		return err
	}
	if len(a.labels) == 0 {
		return nil
	}
	breakdown, err := rate.BuildBreakdown(subject, a.labelCounts(question))
	if err != nil {
		return err
	}
	return e.put(ctx, c, question.ID, stratumLabels, breakdown)
}

func (e *estimator) put(ctx context.Context, c classifier.Classifier, id, stratum string, row any) error {
	body, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("write the row: %w", err)
	}
	err = e.q.UpsertRate(ctx, queries.UpsertRateParams{
		RunID: e.run, RateID: id, Stratum: stratum, Version: int32(c.Version), Body: body, CreatedAt: e.now,
	})
	if err != nil {
		return fmt.Errorf("store the row: %w", err)
	}
	return nil
}

func (e *estimator) subject(c classifier.Classifier, question classifier.Question, a *answers) rate.Subject {
	s := rate.Subject{
		ID: question.ID, Snapshot: e.run, Classifier: c.Name, Version: c.Version, Digest: c.Digest(), Kind: question.Kind, Unit: question.Unit,
		Noun: question.Noun, Denominator: question.Denominator, Excluded: a.excluded, Frame: e.frame,
	}
	if question.Unit == classifier.UnitEndpoint {
		s.Frame.Missing = a.missingOf(e.frame.N)
	} else {
		// Nobody knows how many tools the endpoints without a list have; of the listed ones, these have no verdict.
		s.Frame.Missing, s.Unknown = e.noList, a.missing
	}
	return s
}

// labelCounts lists the labels of the units with a verdict; those without one are listed under an empty label.
func (a *answers) labelCounts(question classifier.Question) []rate.LabelCount {
	rest := a.verdicts
	list := make([]rate.LabelCount, 0, len(a.labels)+1)
	for label, n := range a.labels {
		list = append(list, rate.LabelCount{Label: label, X: n, Unaudited: slices.Contains(question.HeuristicLabels, label)})
		rest -= n
	}
	if rest > 0 {
		list = append(list, rate.LabelCount{X: rest})
	}
	return list
}

// clusterCounter adds up the answers of each cluster.
type clusterCounter map[string]rate.ClusterCount

func (c clusterCounter) add(name string, answer classifier.Answer, units int64) {
	n := c[name]
	n.M += units
	if answer == classifier.True {
		n.Y += units
	}
	c[name] = n
}

// list gives the clusters in the order of their names, so that sums of floats do not depend on chance.
func (c clusterCounter) list() []rate.ClusterCount {
	list := make([]rate.ClusterCount, 0, len(c))
	for _, name := range sortedKeys(c) {
		list = append(list, c[name])
	}
	return list
}
