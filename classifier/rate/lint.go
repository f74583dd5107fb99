package rate

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Lint returns what makes the row unfit for publication, each as one sentence; nil when it may be published. The rule
// on comparisons concerns pairs of rows and is not checked here.
func Lint(r Row) []string {
	var out []string
	complain := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }

	// A run can have nothing eligible; what has a verdict comes from somewhere.
	if r.Frame.N < 0 || r.Frame.N == 0 && r.Denominator.N > 0 || r.Frame.Missing == nil {
		complain("the frame has no N or no missing_by_cause")
	}
	if r.Frame.Unit == r.Unit && r.Frame.Missing != nil {
		if total := r.Denominator.N + sum(r.Denominator.Excluded) + sum(r.Frame.Missing); total != r.Frame.N {
			complain("denominator, exclusions and missing make %d, the frame has %d", total, r.Frame.N)
		}
	}
	if r.Frame.Noun == "" {
		complain("the frame has no noun")
	}
	switch {
	case r.Denominator.Missing == nil:
		complain("the denominator has no missing_by_cause")
	case r.Frame.Unit == r.Unit && sum(r.Denominator.Missing) > 0:
		complain("counts %ss without a verdict twice, in the frame and beside the denominator", r.Unit)
	}
	if r.Cluster == nil {
		complain("the cluster block is absent")
	}
	if r.Numerator.Unit != r.Unit || r.Denominator.Unit != r.Unit {
		complain("counts %ss over %ss in a row of %ss", r.Numerator.Unit, r.Denominator.Unit, r.Unit)
	}
	if r.Bounds != nil && r.Frame.Unit != r.Unit {
		complain("bounds for %ss over a frame of %ss", r.Unit, r.Frame.Unit)
	}
	if why := countsOnly(r); why != "" && (r.Estimate != nil || r.CountsOnly == "" || hasInterval(r)) {
		complain("shows a percentage although only counts may be shown: %s", why)
	}
	if r.Estimate != nil && r.Denominator.N > 0 {
		want := rounded(float64(r.Numerator.X) / float64(r.Denominator.N))
		if *want != *r.Estimate {
			complain("the estimate %g is not %d/%d = %g", *r.Estimate, r.Numerator.X, r.Denominator.N, *want)
		}
	}
	if r.Kind == Heuristic && hasInterval(r) {
		version, _, _ := strings.Cut(r.Classifier, "@")
		switch {
		case r.Noise.Audit == nil:
			complain("a heuristic without an audit has an interval")
		case r.Noise.AuditOf == nil || *r.Noise.AuditOf != version:
			complain("the audit is not one of %s", version)
		}
	}
	if speaksOfFalsePositiveRate(r) {
		complain(`says "false positive rate": name FDR, FPR or PPV`)
	}
	return out
}

func hasInterval(r Row) bool {
	return r.Binomial != nil || r.Bounds != nil || r.Cluster != nil && (r.Cluster.Lo != nil || r.Cluster.Hi != nil) ||
		r.Publisher != nil && (r.Publisher.Lo != nil || r.Publisher.Hi != nil)
}

// speaksOfFalsePositiveRate looks at every text of the row, whatever the spelling.
func speaksOfFalsePositiveRate(r Row) bool {
	text, err := json.Marshal(r)
	if err != nil {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(string(text)), func(c rune) bool { return c < 'a' || c > 'z' })
	return strings.Contains(strings.Join(words, " "), "false positive rate")
}
