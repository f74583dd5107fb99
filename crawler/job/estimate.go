package job

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

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

func (w *estimateWorker) Work(ctx context.Context, job *river.Job[estimateArgs]) error {
	return w.try(ctx, job.Args.Run, len(job.Errors), func() error {
		return w.inTx(ctx, func(tx pgx.Tx) error {
			if err := w.estimate(ctx, tx, job.Args.Run); err != nil {
				return err
			}
			if err := w.enter(ctx, tx, job.Args.Run, Closed); err != nil {
				return err
			}
			return complete(ctx, tx, job)
		})
	})
}

func (w *estimateWorker) estimate(ctx context.Context, tx pgx.Tx, run string) error {
	q := queries.New(tx)
	eligible, err := q.CountEligible(ctx, run)
	if err != nil {
		return fmt.Errorf("count the eligible targets: %w", err)
	}
	e := estimator{q: q, run: run, eligible: eligible}
	all := suite.All()
	if e.noList, err = e.endpointsWithoutList(ctx, all); err != nil {
		return err
	}
	for _, c := range all {
		for _, question := range c.Questions {
			if err := e.store(ctx, c, question, w); err != nil {
				return fmt.Errorf("estimate %s: %w", question.ID, err)
			}
		}
	}
	return nil
}

// estimator turns counts into rows for one run.
type estimator struct {
	q        *queries.Queries
	run      string
	eligible int64
	noList   map[string]int64 // endpoints without a tools list, by cause
}

// counts are the answers to one question.
type counts struct {
	operators, publishers []rate.ClusterCount
	excluded, missing     map[string]int64
	labels                []rate.LabelCount
}

func (e *estimator) store(ctx context.Context, c classifier.Classifier, question classifier.Question, w *estimateWorker) error {
	n, err := e.count(ctx, c, question)
	if err != nil {
		return err
	}
	subject := e.subject(c, question, n)
	row, err := rate.Build(rate.Input{
		Subject: subject, Numerator: question.Numerator, Operators: n.operators, Publishers: n.publishers,
	})
	if err != nil {
		return err
	}
	if err := e.put(ctx, question.ID, stratumAll, row, w); err != nil {
		return err
	}
	if len(n.labels) == 0 {
		return nil
	}
	breakdown, err := rate.BuildBreakdown(subject, n.labels)
	if err != nil {
		return err
	}
	return e.put(ctx, question.ID, stratumLabels, breakdown, w)
}

func (e *estimator) put(ctx context.Context, id, stratum string, row any, w *estimateWorker) error {
	body, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("write the row: %w", err)
	}
	err = e.q.UpsertRate(ctx, queries.UpsertRateParams{
		RunID: e.run, RateID: id, Stratum: stratum, Body: body, CreatedAt: w.Clock.Now().UTC(),
	})
	if err != nil {
		return fmt.Errorf("store the row: %w", err)
	}
	return nil
}

func (e *estimator) subject(c classifier.Classifier, question classifier.Question, n counts) rate.Subject {
	s := rate.Subject{
		ID: question.ID, Snapshot: e.run, Classifier: c.Name, Version: c.Version, Kind: question.Kind, Unit: question.Unit,
		Noun: question.Noun, Denominator: question.Denominator, Excluded: n.excluded,
		Frame: rate.Frame{N: e.eligible, Unit: classifier.UnitEndpoint, Def: "eligible canonical endpoints of the run"},
	}
	if question.Unit == classifier.UnitEndpoint {
		s.Frame.Missing = n.missing
	} else {
		s.Frame.Missing = e.noList
	}
	return s
}

// count asks the database for integers. Every eligible endpoint is accounted for: one that has no finding was not visited.
func (e *estimator) count(ctx context.Context, c classifier.Classifier, question classifier.Question) (counts, error) {
	n := counts{excluded: map[string]int64{}, missing: map[string]int64{}}
	answers, err := e.q.AnswerCounts(ctx, queries.AnswerCountsParams{RunID: e.run, Classifier: c.Name, Version: int32(c.Version), Question: question.ID})
	if err != nil {
		return n, fmt.Errorf("count the answers: %w", err)
	}
	operators, publishers := clusterCounter{}, clusterCounter{}
	for _, a := range answers {
		if answer := classifier.Answer(a.Answer); answer == classifier.True || answer == classifier.False {
			operators.add(a.Operator, answer, a.Units)
			publishers.add(a.Publisher, answer, a.Units)
		}
	}
	n.operators, n.publishers = operators.list(), publishers.list()

	causes, err := e.q.CauseCounts(ctx, queries.CauseCountsParams{RunID: e.run, Classifier: c.Name, Version: int32(c.Version), Question: question.ID})
	if err != nil {
		return n, fmt.Errorf("count the causes: %w", err)
	}
	labels := map[string]int64{}
	var units int64
	for _, cause := range causes {
		units += cause.Units
		reason := cmp.Or(cause.Reason, cause.Answer)
		switch classifier.Answer(cause.Answer) {
		case classifier.True, classifier.False:
			if cause.Label != "" {
				labels[cause.Label] += cause.Units
			}
		case classifier.NotApplicable:
			n.excluded[reason] += cause.Units
		default:
			n.missing[reason] += cause.Units
		}
	}
	if question.Unit == classifier.UnitEndpoint && units < e.eligible {
		n.missing["not_visited"] = e.eligible - units
	}
	n.labels = completeLabels(labels, n.operators)
	return n, nil
}

// completeLabels lists the labels of the units with a verdict; those without one are listed under an empty label.
func completeLabels(labels map[string]int64, clusters []rate.ClusterCount) []rate.LabelCount {
	if len(labels) == 0 {
		return nil
	}
	var all, labelled int64
	for _, c := range clusters {
		all += c.M
	}
	list := make([]rate.LabelCount, 0, len(labels)+1)
	for label, n := range labels {
		list = append(list, rate.LabelCount{Label: label, X: n})
		labelled += n
	}
	if labelled < all {
		list = append(list, rate.LabelCount{X: all - labelled})
	}
	return list
}

// endpointsWithoutList counts, by cause, the endpoints whose tools nobody knows.
func (e *estimator) endpointsWithoutList(ctx context.Context, all []classifier.Classifier) (map[string]int64, error) {
	for _, c := range all {
		for _, question := range c.Questions {
			if question.ID != listQuestion {
				continue
			}
			n, err := e.count(ctx, c, question)
			if err != nil {
				return nil, fmt.Errorf("count endpoints without a tools list: %w", err)
			}
			missing := n.missing
			for reason, units := range n.excluded {
				missing[reason] += units
			}
			for _, cluster := range n.operators {
				if unparseable := cluster.M - cluster.Y; unparseable > 0 {
					missing["list_unparseable"] += unparseable
				}
			}
			return missing, nil
		}
	}
	return nil, fmt.Errorf("no classifier answers %s", listQuestion)
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
