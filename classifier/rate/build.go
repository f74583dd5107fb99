package rate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// DefaultLevel is the two-sided level of published intervals.
const DefaultLevel = 0.95

// DefaultNoun stands for the noun of a frame that has none.
const DefaultNoun = "eligible"

// Subject is what a number is about, apart from the number itself.
type Subject struct {
	ID         string // such as "unknown_tool.tool_error"
	Snapshot   string // the run
	Classifier string
	Version    int
	Digest     string // short hash of the definition; may be empty
	Kind       string // [Field] or [Heuristic]
	Unit       string // singular: "endpoint", "tool"
	Noun       string // plural of what stands in the denominator: "responding endpoints"
	// Denominator says in words what stands in the denominator.
	Denominator string
	// Excluded counts the units, of Unit, that the question does not concern (findings not_applicable), by reason.
	Excluded map[string]int64
	// Unknown counts the units, of Unit, that were seen and have no verdict, by cause, where the frame is of another unit:
	// tools of a list that a question could not be answered for. It must be empty where the frame is of the same unit.
	Unknown map[string]int64
	// Frame is everything eligible; an empty Noun is read as [DefaultNoun]. Its Missing counts the units without a verdict,
	// by cause: not_available by reason, not_supported, error. When its unit is that of the subject, every unit must be
	// accounted for.
	Frame Frame
}

// Input is what a [Row] is built from.
type Input struct {
	Subject
	Numerator string // what is counted, in words
	// Operators and Publishers hold the units with a verdict (M) and the positive ones (Y) of each cluster. The counts of
	// the row are those of Operators; a unit may stand under several publishers.
	Operators, Publishers []ClusterCount
	Level                 float64 // 0 is read as [DefaultLevel]
	Audit                 *Audit  // nil when there is none
	Family                *Family
}

// Audit names an audit of a classifier and the version that it was made for.
type Audit struct {
	ID         string
	Classifier string
	Version    int
}

// ErrInput is wrapped by the errors that report an input from which no honest row can be made.
var ErrInput = errors.New("input does not make a row")

// Build makes the row. An audit of another version counts as none.
func Build(in Input) (Row, error) {
	level := cmp.Or(in.Level, DefaultLevel)
	c, err := Cluster(in.Operators, level)
	if err != nil {
		return Row{}, fmt.Errorf("row %s: %w", in.ID, err)
	}
	w, err := PublisherWeighted(in.Publishers, level)
	if err != nil {
		return Row{}, fmt.Errorf("row %s: %w", in.ID, err)
	}
	denominator, frame, err := in.blocks(c.N)
	if err != nil {
		return Row{}, err
	}
	if c.N > 0 && w.G == 0 {
		return Row{}, fmt.Errorf("row %s: %w: no publishers are given", in.ID, ErrInput)
	}
	r := Row{
		ID: in.ID, Snapshot: in.Snapshot, Classifier: in.classifier(), Kind: in.Kind, Unit: in.Unit,
		Numerator:   Numerator{X: c.X, Unit: in.Unit, Def: in.Numerator},
		Denominator: denominator,
		Frame:       frame,
		Cluster:     acrossOperators(c, level),
		Publisher:   &PerGroup{Method: "wilson_neff_t", Publishers: w.G},
		Family:      in.Family,
	}
	if in.Audit != nil && in.Audit.Classifier == in.Classifier && in.Audit.Version == in.Version {
		of := versioned(in.Classifier, in.Version)
		r.Noise.Audit, r.Noise.AuditOf = &in.Audit.ID, &of
	}
	r.CountsOnly = countsOnly(r)
	if r.CountsOnly == "" {
		r.Estimate = rounded(c.P)
		r.Publisher.Estimate = rounded(w.Estimate)
		r.Cluster.DropLargest = rounded(c.DropLargest)
		r.Cluster.LeaveOneOut = &[2]float64{*rounded(c.LeaveOneOut.Lo), *rounded(c.LeaveOneOut.Hi)}
		if !unaudited(r) {
			if err := r.dressIntervals(c, w, level); err != nil {
				return Row{}, fmt.Errorf("row %s: %w", in.ID, err)
			}
		}
	}
	r.Reading = reading(r)
	return r, nil
}

// dressIntervals adds the intervals and, where the frame is of the same unit, the bounds.
func (r *Row) dressIntervals(c Clustered, w Weighted, level float64) error {
	binomial := Wilson(c.X, c.N, level)
	r.Binomial = &Binomial{Method: "wilson", Level: level, Lo: *rounded(binomial.Lo), Hi: *rounded(binomial.Hi)}
	if c.Defined {
		r.Cluster.Lo, r.Cluster.Hi = rounded(c.Interval.Lo), rounded(c.Interval.Hi)
	}
	if w.Defined {
		r.Publisher.Lo, r.Publisher.Hi = rounded(w.Interval.Lo), rounded(w.Interval.Hi)
	}
	if r.Frame.Unit != r.Unit {
		return nil
	}
	population := r.Frame.N - sum(r.Denominator.Excluded)
	bounds, err := Manski(population, c.N, c.X, level)
	if err != nil {
		return err
	}
	r.Bounds = &NoAnswer{Method: "manski", N: population, Lo: *rounded(bounds.Lo), Hi: *rounded(bounds.Hi)}
	return nil
}

func acrossOperators(c Clustered, level float64) *Across {
	method := "wilson_neff_cr2_bm"
	if c.SE2 == 0 {
		method = "wilson_neff_g" // every cluster has the same rate: as many units as clusters
	}
	return &Across{
		By: "operator", G: c.G, MaxShare: rounded(c.MaxShare), GStar: rounded(c.GStar), GStar2: rounded(c.GStar2),
		Deff: rounded(c.Deff), ICC: rounded(c.ICC), NEff: rounded(c.NEff), DF: rounded(c.DF), Method: method, Level: level,
	}
}

// blocks checks the subject and makes its part of a row with n units in the denominator.
func (s Subject) blocks(n int64) (Denominator, Frame, error) {
	d := Denominator{N: n, Unit: s.Unit, Noun: s.Noun, Def: s.Denominator, Excluded: map[string]int64{}, Missing: map[string]int64{}}
	f := Frame{N: s.Frame.N, Unit: s.Frame.Unit, Def: s.Frame.Def, Noun: cmp.Or(s.Frame.Noun, DefaultNoun), Missing: map[string]int64{}}
	maps.Copy(d.Excluded, s.Excluded)
	maps.Copy(d.Missing, s.Unknown)
	maps.Copy(f.Missing, s.Frame.Missing)
	fail := func(format string, a ...any) (Denominator, Frame, error) {
		return d, f, fmt.Errorf("row %s: %w: %s", s.ID, ErrInput, fmt.Sprintf(format, a...))
	}
	for _, text := range []string{s.ID, s.Snapshot, s.Classifier, s.Unit, s.Noun, s.Denominator, f.Unit, f.Def} {
		if text == "" {
			return fail("id, snapshot, classifier, unit, noun, denominator and frame must all be named")
		}
	}
	if s.Kind != Field && s.Kind != Heuristic {
		return fail("kind %q is neither %s nor %s", s.Kind, Field, Heuristic)
	}
	for _, counts := range []map[string]int64{d.Excluded, d.Missing, f.Missing} {
		for _, cause := range slices.Sorted(maps.Keys(counts)) {
			if counts[cause] < 0 {
				return fail("cause %q has the count %d", cause, counts[cause])
			}
		}
	}
	excluded, missing := sum(d.Excluded), sum(f.Missing)
	if f.Unit == s.Unit && n+excluded+missing != f.N {
		return fail("%d with a verdict, %d excluded and %d missing do not add up to the frame of %d", n, excluded, missing, f.N)
	}
	if f.Unit == s.Unit && sum(d.Missing) > 0 {
		return fail("a frame of %ss holds the %ss without a verdict itself: give no Unknown", f.Unit, s.Unit)
	}
	if missing > f.N {
		return fail("%d missing of a frame of %d", missing, f.N)
	}
	return d, f, nil
}

func (s Subject) classifier() string {
	name := versioned(s.Classifier, s.Version)
	if s.Digest != "" {
		name += "@" + s.Digest
	}
	return name
}

func versioned(classifier string, version int) string {
	return classifier + "/v" + strconv.Itoa(version)
}

// rounded keeps six significant digits; nil for what is undefined.
func rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return nil
	}
	return &r
}

func sum(counts map[string]int64) int64 {
	var total int64
	for _, n := range counts {
		total += n
	}
	return total
}
