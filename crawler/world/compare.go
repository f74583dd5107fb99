package world

import (
	"fmt"
	"slices"
)

// Observed is one finding of a census of a world.
type Observed struct {
	URL string // canonical key of the endpoint
	Finding
}

// RowCounts are what a census counted in the registry of a world.
type RowCounts struct{ Rows, Names, Latest, Deleted, Deprecated int }

// Compare lists how what a census found differs from the truth, sorted; it is empty when nothing does. Labels that the
// truth does not state are not compared, nor are questions that it does not answer.
func (t Truth) Compare(rows RowCounts, observed []Observed) []string {
	var differences []string
	if want := (RowCounts{t.Rows, t.Names, t.Latest, t.Deleted, t.Deprecated}); rows != want {
		differences = append(differences, fmt.Sprintf("registry: %+v, in truth %+v", rows, want))
	}
	type unit struct{ url, question, tool string }
	found := map[unit]Finding{}
	visited := map[string]bool{}
	for _, o := range observed {
		found[unit{o.URL, o.Question, o.Tool}] = o.Finding
		visited[o.URL] = true
	}
	for _, e := range t.Endpoints {
		if !visited[e.URL] {
			differences = append(differences, fmt.Sprintf("%s (%s): not classified", e.URL, e.Kind))
			continue
		}
		delete(visited, e.URL)
		for _, want := range e.Findings {
			got, ok := found[unit{e.URL, want.Question, want.Tool}]
			if !ok || got.Answer != want.Answer || (want.Label != "" && got.Label != want.Label) {
				differences = append(differences, fmt.Sprintf("%s (%s): %s %s is %q %q, in truth %q %q",
					e.URL, e.Kind, want.Question, want.Tool, got.Answer, got.Label, want.Answer, want.Label))
			}
		}
	}
	for url := range visited {
		differences = append(differences, url+": visited, although the world has no such endpoint to visit")
	}
	slices.Sort(differences)
	return differences
}
