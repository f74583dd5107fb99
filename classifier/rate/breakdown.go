package rate

import (
	"cmp"
	"fmt"
	"slices"
)

// Breakdown is the published distribution of a label: counts with their denominator, no percentages.
type Breakdown struct {
	ID          string       `json:"id"`
	Snapshot    string       `json:"snapshot"`
	Classifier  string       `json:"classifier"`
	Kind        string       `json:"kind"`
	Unit        string       `json:"unit"`
	Denominator Denominator  `json:"denominator"`
	Frame       Frame        `json:"frame"`
	Counts      []LabelCount `json:"counts"` // most frequent first, then by label
}

// LabelCount is how many units carry a label.
type LabelCount struct {
	Label string `json:"label"`
	X     int64  `json:"x"`
	// Unaudited marks a label that a heuristic gave and no audit of its version covers.
	Unaudited bool `json:"unaudited"`
}

// BuildBreakdown makes the breakdown of a subject. Each unit with a verdict carries exactly one label; counts of a
// heuristic subject are all unaudited.
func BuildBreakdown(s Subject, counts []LabelCount) (Breakdown, error) {
	b := Breakdown{ID: s.ID, Snapshot: s.Snapshot, Classifier: s.classifier(), Kind: s.Kind, Unit: s.Unit}
	b.Counts = append([]LabelCount{}, counts...)
	seen := map[string]bool{}
	var n int64
	for i, c := range b.Counts {
		if c.X < 0 || seen[c.Label] {
			return Breakdown{}, fmt.Errorf("breakdown %s: %w: label %q is given twice or below zero", s.ID, ErrInput, c.Label)
		}
		seen[c.Label] = true
		n += c.X
		b.Counts[i].Unaudited = c.Unaudited || s.Kind == Heuristic
	}
	slices.SortFunc(b.Counts, func(x, y LabelCount) int {
		return cmp.Or(cmp.Compare(y.X, x.X), cmp.Compare(x.Label, y.Label))
	})
	var err error
	b.Denominator, b.Frame, err = s.blocks(n)
	return b, err
}

// RenderBreakdown writes one line a label, such as
//
//	812 of 3,685 responding endpoints · protocol_-32602
func RenderBreakdown(b Breakdown) []string {
	lines := make([]string, 0, len(b.Counts))
	for _, c := range b.Counts {
		line := fmt.Sprintf("%s of %s %s · %s", thousands(c.X), thousands(b.Denominator.N), b.Denominator.Noun, cmp.Or(c.Label, "no label"))
		if c.Unaudited {
			line += " · unaudited"
		}
		lines = append(lines, line)
	}
	return lines
}
