package world

import (
	"slices"
	"strings"
)

// Truth is what a correct census of the world reports.
type Truth struct {
	Rows, Names, Latest, Deleted, Deprecated int // of the registry, at the start
	Remotes                                  int // remotes declared, over all rows
	Spellings                                int // distinct raw URLs, over all rows
	Templates, Invalid                       int // distinct names with an active latest declaration of that class
	Endpoints                                []EndpointTruth
	Counts                                   []Count // sorted by question
	Declarations                             []Declaration
}

// EndpointTruth is what is true of one endpoint that a census visits: plain, and declared by an active latest row.
type EndpointTruth struct {
	URL      string // canonical
	Kind     string // for messages
	Operator string
	Names    []string // that declare it by an active latest row, sorted
	Findings []Finding
}

// Finding is one expected answer. Words are those of the classifiers' definitions.
type Finding struct {
	Question string
	Tool     string // name of the tool; empty when the question is about the endpoint
	Answer   string
	Label    string
}

// Count is what one question comes to over all endpoints.
type Count struct {
	Question string
	Answers  map[string]int
	Labels   map[string]int // of the findings with a label
}

// Truth derives what is true from what was declared. It can be asked once the world has started.
func (w *World) Truth() Truth {
	t := Truth{Declarations: slices.Clone(w.declarations), Spellings: len(spellings(w.declarations)), Remotes: len(w.declarations)}
	names := map[string]bool{}
	for _, r := range w.started {
		t.Rows++
		names[r.Name] = true
		switch r.Status {
		case Deleted:
			t.Deleted++
		case Deprecated:
			t.Deprecated++
		}
		if r.Latest {
			t.Latest++
		}
	}
	t.Names = len(names)
	declaring := map[string][]string{}
	for _, d := range w.declarations {
		if d.Status != Active || !d.Latest {
			continue
		}
		switch d.Class {
		case Plain:
			declaring[d.Key] = append(declaring[d.Key], d.Name)
		case Template:
			t.Templates++
		case Invalid:
			t.Invalid++
		}
	}
	for _, e := range w.Endpoints {
		by := declaring[e.URL]
		slices.Sort(by)
		t.Endpoints = append(t.Endpoints, EndpointTruth{URL: e.URL, Kind: e.Kind, Operator: e.Operator,
			Names: slices.Compact(by), Findings: e.findings()})
	}
	t.Counts = count(t.Endpoints)
	return t
}

func count(endpoints []EndpointTruth) []Count {
	byQuestion := map[string]*Count{}
	for _, e := range endpoints {
		for _, f := range e.Findings {
			c := byQuestion[f.Question]
			if c == nil {
				c = &Count{Question: f.Question, Answers: map[string]int{}, Labels: map[string]int{}}
				byQuestion[f.Question] = c
			}
			c.Answers[f.Answer]++
			if f.Label != "" {
				c.Labels[f.Label]++
			}
		}
	}
	var counts []Count
	for _, c := range byQuestion {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, func(a, b Count) int { return strings.Compare(a.Question, b.Question) })
	return counts
}
