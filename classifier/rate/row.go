package rate

// The kinds of a question, as in a def.yml.
const (
	Field     = "field"     // reads a member of a message over every unit: the count is exact
	Heuristic = "heuristic" // guesses: no interval without an audit of this very version
)

// The floors below which only counts are shown, and the marks of a dominant cluster (statistics.md §0, §1.8).
const (
	minUnits      = 25
	minClusters   = 10
	maxShare      = 0.4
	dominantShare = 0.05
	dominantGStar = 10
)

// Row is one published number; every rendering is made from it. A pointer that is nil is null: undefined for the data,
// or not to be shown. Numbers are rounded to six significant digits.
type Row struct {
	ID         string `json:"id"`
	Snapshot   string `json:"snapshot"`   // the run
	Classifier string `json:"classifier"` // name/version, with @digest of its definition if known
	Kind       string `json:"kind"`       // [Field] or [Heuristic]
	Unit       string `json:"unit"`       // singular: "endpoint", "tool"

	Numerator   Numerator   `json:"numerator"`
	Denominator Denominator `json:"denominator"`
	Frame       Frame       `json:"frame"`

	Estimate   *float64  `json:"estimate"`    // x/n; null when only counts may be shown
	CountsOnly string    `json:"counts_only"` // why only counts may be shown, in words; else empty
	Binomial   *Binomial `json:"binomial_if_independent"`
	Cluster    *Across   `json:"cluster"`
	Publisher  *PerGroup `json:"publisher_weighted"`
	Bounds     *NoAnswer `json:"nonresponse"`
	Noise      Noise     `json:"classifier_noise"`
	Family     *Family   `json:"multiplicity"`
	Reading    string    `json:"reading"`
}

// Numerator is what was counted.
type Numerator struct {
	X    int64  `json:"x"`
	Unit string `json:"unit"`
	Def  string `json:"def"`
}

// Denominator is what it was counted in.
type Denominator struct {
	N    int64  `json:"n"`
	Unit string `json:"unit"`
	Noun string `json:"noun"` // plural, as it stands in the rendered line: "responding endpoints"
	Def  string `json:"def"`
	// Excluded counts the units that the question does not concern, by cause. They also leave the frame.
	Excluded map[string]int64 `json:"excluded"`
	// Missing counts the units of a row whose frame is of another unit, by the cause for which they have no verdict:
	// tools that were seen and not judged. Empty where the frame is of the same unit; they are in Frame.Missing then.
	Missing map[string]int64 `json:"missing_by_cause"`
}

// Frame is everything eligible, fixed before the run.
type Frame struct {
	N    int64  `json:"N"`
	Unit string `json:"unit"`
	Def  string `json:"def"`
	// Noun is an adjective for all of the frame, as it stands in the rendered line: "all 6,106 eligible", "all 200 sampled".
	Noun string `json:"noun"`
	// Missing counts the units of the frame without a verdict, by cause; they are bounded, never taken for false.
	Missing map[string]int64 `json:"missing_by_cause"`
}

// Binomial is the interval that would hold if units were independent.
type Binomial struct {
	Method string  `json:"method"`
	Level  float64 `json:"level"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// Across is the interval for another draw of clusters, with its diagnostics.
type Across struct {
	By          string      `json:"by"` // what a cluster is, singular: "operator"
	G           int64       `json:"G"`
	MaxShare    *float64    `json:"max_share"`
	GStar       *float64    `json:"gstar"`
	GStar2      *float64    `json:"gstarstar"`
	Deff        *float64    `json:"deff"`
	ICC         *float64    `json:"icc"`
	NEff        *float64    `json:"n_eff"`
	DF          *float64    `json:"df"`
	Method      string      `json:"method"`
	Level       float64     `json:"level"`
	Lo          *float64    `json:"lo"`
	Hi          *float64    `json:"hi"`
	DropLargest *float64    `json:"drop_largest"`
	LeaveOneOut *[2]float64 `json:"loo"`
}

// PerGroup is the rate in which each publisher counts once.
type PerGroup struct {
	Estimate   *float64 `json:"estimate"`
	Method     string   `json:"method"`
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Publishers int64    `json:"n_publishers"`
}

// NoAnswer bounds the rate over everything eligible, whatever the missing units are.
type NoAnswer struct {
	Method string  `json:"method"`
	N      int64   `json:"N"` // units of the frame that the question concerns
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// Noise is what an audit says of a classifier; all null until there is one.
type Noise struct {
	Audit         *string  `json:"audit_id"`
	AuditOf       *string  `json:"audit_of"` // classifier and version that was audited
	PPV           *float64 `json:"ppv"`
	MissedUpper   *float64 `json:"missed_upper"`
	Corrected     *float64 `json:"corrected"`
	RetestFlipped *float64 `json:"retest_flip_rate"`
}

// Family says that the number is one of k that are read together.
type Family struct {
	Name      string  `json:"family"`
	K         int     `json:"k"`
	LevelUsed float64 `json:"level_used"`
}
