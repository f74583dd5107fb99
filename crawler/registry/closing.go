package registry

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Passes that archive one list of versions after the other.
var (
	settlePass = Pass{Name: "settle", Applies: true}
	spotPass   = Pass{Name: "spot"}
)

// versions asks for all versions of a name. A registry that refuses gives no error and no page.
func (w *crawl) versions(ctx context.Context, of string) (p Page, c PageContent, answered bool, err error) {
	save := func() error { return w.store.Save(ctx, w.pos) }
	p, c, err = w.c.steadily(ctx, single, versionsPath(of), &w.pos.State.Trouble, save)
	if refused(err) {
		return Page{}, PageContent{}, false, nil
	}
	for i := range c.Rows {
		if c.Rows[i].Name != of {
			c.note(PageVersionsOfOther)
			slices.Sort(c.Anomalies)
			c.Anomalies = slices.Compact(c.Anomalies)
			break
		}
	}
	return p, c, err == nil, err
}

// settleOne stores the versions of a name, and moves the position behind it.
func (w *crawl) settleOne(ctx context.Context, of string, move func(*Position)) error {
	p, c, answered, err := w.versions(ctx, of)
	if err != nil {
		return err
	}
	if !answered {
		w.pos.Name = of
		w.pos.Proof = w.pos.Proof.clone()
		move(&w.pos)
		return w.store.Save(ctx, w.pos)
	}
	p.Seq = w.pos.Lists
	return w.commit(ctx, settlePass, p, c, func(pos *Position, _ Change) {
		pos.Name, pos.Lists, pos.State = of, pos.Lists+1, State{}
		move(pos)
	})
}

// settle asks for the versions of every name of which not exactly one is marked as the latest. The registry changes that
// mark without changing the time of update, so the closing passes cannot see it.
func (w *crawl) settle(ctx context.Context) error {
	list, err := w.unsettled(ctx)
	if err != nil {
		return err
	}
	for _, of := range list {
		if of <= w.pos.Name {
			continue
		}
		if err := w.settleOne(ctx, of, func(pos *Position) { pos.Proof.Settled++ }); err != nil {
			return err
		}
	}
	if w.pos.Proof.Unsettled, err = w.unsettled(ctx); err != nil {
		return err
	}
	return w.enter(ctx, StageLatest)
}

// latest walks the list of latest versions, which checks the names.
func (w *crawl) latest(ctx context.Context) error {
	if !w.pos.Proof.Extensions.Version {
		w.pos.Proof.Latest.Skipped = "the registry does not understand version=latest"
		return w.enter(ctx, StageSpot)
	}
	if err := w.list(ctx, Pass{Name: "latest"}, Query{Version: "latest"}); err != nil {
		return err
	}
	return w.enter(ctx, StageExplain)
}

// listed is what the list of latest versions says of a name.
type listed struct {
	version string
	times   int
}

func (w *crawl) listedNames(ctx context.Context) (map[string]listed, error) {
	names := map[string]listed{}
	for p, err := range w.store.Pages(ctx, "latest") {
		if err != nil {
			return nil, err
		}
		c, err := ReadPage(p.Body)
		if err != nil {
			return nil, err
		}
		for i := range c.Rows {
			if row := &c.Rows[i]; row.Bad == "" {
				names[row.Name] = listed{row.Version, names[row.Name].times + 1}
			}
		}
	}
	return names, nil
}

// difference is a name on which the store and the list of latest versions do not agree.
type difference struct {
	name  string
	moved bool // only the version differs
}

// maxDifferences is how many differing names are looked into. More of them are no coincidence.
const maxDifferences = 1000

// explain looks into every name on which the store and the list differ. A name that changed since the walk began, or
// that has no latest version, may differ; any other was missed by the walk.
func (w *crawl) explain(ctx context.Context) error {
	differences, err := w.differences(ctx)
	if err != nil {
		return err
	}
	tooMany := len(differences) > maxDifferences
	for _, d := range differences {
		if d.name <= w.pos.Name {
			continue
		}
		if tooMany {
			w.pos.Proof.Latest.Unexplained = append(w.pos.Proof.Latest.Unexplained, d.name)
			continue
		}
		if err := w.explainOne(ctx, d); err != nil {
			return err
		}
	}
	return w.enter(ctx, StageSpot)
}

func (w *crawl) explainOne(ctx context.Context, d difference) error {
	p, c, answered, err := w.versions(ctx, d.name)
	if err != nil {
		return err
	}
	result := func(l *LatestProof) {
		switch {
		case answered && (changedSince(c, w.pos.Proof.Started) || !hasLatest(c)):
			l.Explained++
		case d.moved:
			l.Moved++
		default:
			l.Unexplained = append(l.Unexplained, d.name)
		}
	}
	if !answered {
		w.pos.Proof, w.pos.Name = w.pos.Proof.clone(), d.name
		result(&w.pos.Proof.Latest)
		return w.store.Save(ctx, w.pos)
	}
	p.Seq = w.pos.Lists
	return w.commit(ctx, settlePass, p, c, func(pos *Position, _ Change) {
		pos.Name, pos.Lists, pos.State = d.name, pos.Lists+1, State{}
		result(&pos.Proof.Latest)
	})
}

// differences compares the archived list with the store, and notes the sizes of both.
func (w *crawl) differences(ctx context.Context) ([]difference, error) {
	names, err := w.listedNames(ctx)
	if err != nil {
		return nil, err
	}
	l := LatestProof{Listed: len(names)}
	var found []difference
	for n, err := range w.names(ctx) {
		if err != nil {
			return nil, err
		}
		on, isListed := names[n.Name]
		delete(names, n.Name)
		if n.Live > 0 {
			l.Stored++
		}
		switch {
		case isListed != (n.Live > 0) || on.times > 1:
			found = append(found, difference{name: n.Name})
		case isListed && on.version != n.Latest:
			found = append(found, difference{name: n.Name, moved: true})
		}
	}
	for _, rest := range slices.Sorted(maps.Keys(names)) {
		found = append(found, difference{name: rest})
	}
	slices.SortFunc(found, func(a, b difference) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	if w.pos.Name == "" { // later, what was settled no longer differs
		l.Different = len(found)
		w.pos.Proof.Latest = l
	}
	return found, nil
}

// changedSince says whether a row was updated at or after a time.
func changedSince(c PageContent, t time.Time) bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.UpdatedAt != nil && !r.UpdatedAt.Before(t) })
}

func hasLatest(c PageContent) bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.IsLatest != nil && *r.IsLatest && r.Status != Deleted })
}
