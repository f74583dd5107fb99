package registry

import (
	"maps"
	"slices"
	"time"
)

// State is where a walk goes on. It is small, whatever the size of the registry, and is written as JSON; the caller
// commits it in the transaction that stores the page before it.
type State struct {
	Seq     int       `json:"seq"`                 // of the next page
	Cursor  string    `json:"cursor"`              // of the next page
	Done    bool      `json:"done,omitempty"`      // the last page was read
	Started time.Time `json:"started,omitzero"`    // date of the first page by the registry's clock
	Trouble Trouble   `json:"trouble"`             // with the next page
	Guard   loopGuard `json:"guard"`               // against cursors that run in circles
	Empty   int       `json:"empty,omitempty"`     // pages in a row without a row
	Last    [2]string `json:"last"`                // name and version of the last usable row, to see the order
	Gaps    []Gap     `json:"gaps,omitempty"`      // rows that were jumped over
	Tally   Tally     `json:"tally"`               // what was seen so far
	Suspect int       `json:"suspect,omitempty"`   // one of this many next rows cannot be served; 0 means none is suspected
	Refused int       `json:"refused,omitempty"`   // answers in a row that point to such a row
	Poison  int       `json:"confirmed,omitempty"` // times that the very next row was refused while others were served
}

// Gap is a place where the operator made the walk jump over rows that the registry cannot serve.
type Gap struct {
	After string `json:"after"` // cursor that could not be followed
	To    string `json:"to"`    // cursor given by the operator
}

// Jump returns the state from which a walk goes on behind a row that the registry cannot serve. Only an operator can
// say where that is, and the walk stays incomplete.
func (s State) Jump(cursor string) State {
	s = s.clone()
	s.Gaps = append(s.Gaps, Gap{After: s.Cursor, To: cursor})
	s.Cursor = cursor
	s.Trouble, s.Guard, s.Suspect, s.Refused, s.Poison = Trouble{}, loopGuard{}, 0, 0, 0
	return s
}

func (s State) clone() State {
	s.Gaps = slices.Clone(s.Gaps)
	s.Tally = s.Tally.clone()
	return s
}

// limit is how many rows to ask for: a full page, or half of those among which one cannot be served.
func (s State) limit() int {
	if s.Suspect == 0 {
		return pageLimit
	}
	return max(1, s.Suspect/2)
}

// after returns the state behind a page.
func (s State) after(p Page, c PageContent) State {
	next := s.clone()
	next.Seq++
	next.Cursor = p.NextCursor
	next.Done = p.NextCursor == ""
	if next.Started.IsZero() {
		next.Started = p.date()
	}
	next.Trouble, next.Refused, next.Poison = Trouble{}, 0, 0
	next.Suspect = max(0, s.Suspect-len(c.Rows))
	if next.Empty++; len(c.Rows) > 0 {
		next.Empty = 0
	}
	for i := len(c.Rows) - 1; i >= 0; i-- {
		if c.Rows[i].Bad == "" {
			next.Last = [2]string{c.Rows[i].Name, c.Rows[i].Version}
			break
		}
	}
	next.Tally.add(p, c)
	return next
}

// ordered says whether the rows of a page, and the last one before them, are strictly in bytewise order.
func (s State) ordered(c PageContent) bool {
	last := s.Last
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Bad != "" {
			continue
		}
		if row.Name < last[0] || (row.Name == last[0] && row.Version <= last[1]) {
			return false
		}
		last = [2]string{row.Name, row.Version}
	}
	return true
}

// loopGuard finds cursors that run in circles with two cursors of memory (Brent, "An improved Monte Carlo
// factorization algorithm", 1980): it keeps one cursor, compares all later ones with it, and replaces it after 1, 2, 4, …
// steps. A circle is found before it was walked three times.
type loopGuard struct {
	Mark  string `json:"mark,omitempty"`
	Steps int    `json:"steps,omitempty"`
	Power int    `json:"power,omitempty"`
}

// follow takes the cursor of the next page and says whether it was seen before.
func (g *loopGuard) follow(from, to string) bool {
	if to == from || (g.Power > 0 && to == g.Mark) {
		return true
	}
	g.Steps++
	if g.Power == 0 || g.Steps >= g.Power {
		g.Mark, g.Steps, g.Power = to, 0, max(1, 2*g.Power)
	}
	return false
}

// Tally counts what a walk saw.
type Tally struct {
	Pages         int            `json:"pages"`
	Rows          int            `json:"rows"` // bad ones included
	Bad           int            `json:"bad"`
	Repeated      int            `json:"repeated"` // rows that came twice in this pass; the later one counts
	Reduced       int            `json:"reduced"`  // pages of a smaller limit, around a row that cannot be served
	Outcomes      map[string]int `json:"outcomes,omitempty"`
	Caches        map[string]int `json:"caches,omitempty"` // pages by X-Registry-Cache
	PageAnomalies map[string]int `json:"page_anomalies,omitempty"`
	RowAnomalies  map[string]int `json:"row_anomalies,omitempty"`
	BadReasons    map[string]int `json:"bad_reasons,omitempty"`
	Shapes        map[string]int `json:"shapes,omitempty"`
}

func (t Tally) clone() Tally {
	for _, m := range []*map[string]int{&t.Outcomes, &t.Caches, &t.PageAnomalies, &t.RowAnomalies, &t.BadReasons, &t.Shapes} {
		*m = maps.Clone(*m)
	}
	return t
}

func count(m *map[string]int, key string) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key]++
}

func (t *Tally) add(p Page, c PageContent) {
	t.Pages++
	t.Rows += len(c.Rows)
	t.Repeated += len(c.Rows) - c.Bad() - len(c.Keyed())
	if p.Limit < pageLimit {
		t.Reduced++
	}
	count(&t.Outcomes, "200")
	if p.Stale != nil {
		count(&t.Outcomes, "200")
	}
	if cache := p.Cache(); cache != "" {
		count(&t.Caches, cache)
	}
	for _, a := range c.Anomalies {
		count(&t.PageAnomalies, a)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		count(&t.Shapes, string(row.Shape))
		if row.Bad != "" {
			t.Bad++
			count(&t.BadReasons, row.Bad)
		}
		for _, a := range row.Anomalies {
			count(&t.RowAnomalies, a)
		}
	}
}
