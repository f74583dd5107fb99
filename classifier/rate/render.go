package rate

import (
	"fmt"
	"strings"
)

// Render writes the row as one line, such as
//
//	3,258 of 3,685 responding endpoints · 88.4 % [86.7–89.9 across operators] · per publisher 83.6 % [82.1–85.0] · all 6,106 eligible: 53.4–93.0 % · exact field test
//
// Small or lopsided denominators give counts only, with the reason. Where one operator dominates, the rate per
// publisher leads, and the pooled rate is also given without the largest operator. A heuristic without an audit of its
// version is called unaudited and has no interval.
func Render(r Row) string {
	parts := []string{fmt.Sprintf("%s of %s %s", thousands(r.Numerator.X), thousands(r.Denominator.N), r.Denominator.Noun)}
	switch {
	case r.Estimate == nil:
		parts = append(parts, "counts only: "+r.CountsOnly)
		parts = append(parts, renderMissing(r)...)
	case unaudited(r):
		parts = append(parts, renderPooled(r))
		parts = append(parts, renderMissing(r)...)
	case dominated(r):
		pooled := "pooled " + renderPooled(r)
		if r.Cluster.DropLargest != nil {
			pooled += fmt.Sprintf(", %s %% without the largest %s", percent(*r.Cluster.DropLargest), r.Cluster.By)
		}
		parts = append(parts, renderPublisher(r), pooled)
		parts = append(parts, renderBounds(r)...)
	default:
		parts = append(parts, renderPooled(r), renderPublisher(r))
		parts = append(parts, renderBounds(r)...)
	}
	return strings.Join(append(parts, renderKind(r)), " · ")
}

func renderPooled(r Row) string {
	text := percent(float64(r.Numerator.X)/float64(r.Denominator.N)) + " %"
	if c := r.Cluster; c != nil && c.Lo != nil && c.Hi != nil {
		text += fmt.Sprintf(" [%s–%s across %ss]", percent(*c.Lo), percent(*c.Hi), c.By)
	}
	return text
}

func renderPublisher(r Row) string {
	p := r.Publisher
	if p == nil || p.Estimate == nil {
		return "per publisher undefined"
	}
	text := "per publisher " + percent(*p.Estimate) + " %"
	if p.Lo != nil && p.Hi != nil {
		text += fmt.Sprintf(" [%s–%s]", percent(*p.Lo), percent(*p.Hi))
	}
	return text
}

func renderBounds(r Row) []string {
	if b := r.Bounds; b != nil {
		if sum(r.Frame.Missing) == 0 {
			return []string{fmt.Sprintf("all %s %s have a verdict", thousands(b.N), r.Frame.Noun)}
		}
		return []string{fmt.Sprintf("all %s %s: %s–%s %%", thousands(b.N), r.Frame.Noun, percent(b.Lo), percent(b.Hi))}
	}
	return renderMissing(r)
}

// renderMissing says what the denominator leaves out where no bounds say it.
func renderMissing(r Row) []string {
	missing := sum(r.Frame.Missing)
	if r.Frame.Unit == r.Unit {
		if missing == 0 {
			return nil
		}
		population := r.Frame.N - sum(r.Denominator.Excluded)
		return []string{fmt.Sprintf("%s of %s %s without a verdict", thousands(missing), thousands(population), r.Frame.Noun)}
	}
	var parts []string
	if sum(r.Denominator.Missing) > 0 {
		parts = append(parts, moreWithoutVerdict(r))
	}
	if missing > 0 {
		parts = append(parts, noBounds(r))
	}
	return parts
}

func renderKind(r Row) string {
	switch {
	case r.Kind == Field:
		return "exact field test"
	case unaudited(r):
		return "heuristic, unaudited"
	default:
		return "heuristic, audit " + *r.Noise.Audit
	}
}
