package rate

import (
	"fmt"
	"strconv"
	"strings"
)

// countsOnly says in words why the row may show counts only, or nothing when it may show a rate.
func countsOnly(r Row) string {
	if r.Denominator.N == 0 {
		return "no " + r.Unit + " has a verdict"
	}
	var why []string
	if r.Denominator.N < minUnits {
		why = append(why, fmt.Sprintf("fewer than %d %ss", minUnits, r.Unit))
	}
	if c := r.Cluster; c != nil {
		if c.G < minClusters {
			why = append(why, fmt.Sprintf("fewer than %d %ss", minClusters, c.By))
		}
		if c.MaxShare != nil && *c.MaxShare > maxShare {
			why = append(why, fmt.Sprintf("one %s has more than %g %% of the %ss", c.By, maxShare*100, r.Unit))
		}
	}
	return strings.Join(why, ", ")
}

// unaudited says that no interval may stand around the count.
func unaudited(r Row) bool { return r.Kind == Heuristic && r.Noise.Audit == nil }

// dominated says that one cluster weighs so much that the rate of a publisher must lead.
func dominated(r Row) bool {
	c := r.Cluster
	return c != nil && (c.MaxShare != nil && *c.MaxShare > dominantShare || c.GStar2 != nil && *c.GStar2 < dominantGStar)
}

// reading says what the number is and what its interval covers.
func reading(r Row) string {
	var parts []string
	switch {
	case r.Kind == Field:
		parts = append(parts, "exact count for the snapshot")
	case unaudited(r):
		parts = append(parts, "count of an unaudited heuristic: how often it is wrong is not known")
	default:
		parts = append(parts, "count of a heuristic, see its audit")
	}
	if r.Cluster != nil && r.Cluster.Lo != nil {
		parts = append(parts, fmt.Sprintf("bracket = expected with other %ss, no sampling error", r.Cluster.By))
	}
	if sum(r.Denominator.Missing) > 0 {
		parts = append(parts, moreWithoutVerdict(r))
	}
	missing := sum(r.Frame.Missing)
	switch {
	case missing == 0:
	case r.Frame.Unit == r.Unit:
		parts = append(parts, fmt.Sprintf("does not cover %s %ss without a verdict", thousands(missing), r.Unit))
	default:
		parts = append(parts, noBounds(r))
	}
	return strings.Join(parts, "; ")
}

// moreWithoutVerdict says how many units were seen beside those of the denominator, and not judged.
func moreWithoutVerdict(r Row) string {
	n := sum(r.Denominator.Missing)
	if n == 1 {
		return fmt.Sprintf("1 more %s without a verdict", r.Unit)
	}
	return fmt.Sprintf("%s more %ss without a verdict", thousands(n), r.Unit)
}

// noBounds says why a row whose frame is of another unit has no bounds.
func noBounds(r Row) string {
	return fmt.Sprintf("no bounds, as nobody knows how many %ss the %s silent of %s %ss have",
		r.Unit, thousands(sum(r.Frame.Missing)), thousands(r.Frame.N), r.Frame.Unit)
}

// thousands writes an integer with a comma between groups of three digits.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// percent writes a proportion in percent with one decimal, and with more where that would read as none or all.
func percent(p float64) string {
	for decimals := 1; decimals < 4; decimals++ {
		text := strconv.FormatFloat(p*100, 'f', decimals, 64)
		shown, err := strconv.ParseFloat(text, 64)
		if err == nil && (shown != 0 || p == 0) && (shown != 100 || p == 1) {
			return text
		}
	}
	return strconv.FormatFloat(p*100, 'f', 4, 64)
}
