package registry

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Stage is a part of a crawl.
type Stage string

// The stages, in order. The zero value is the first.
const (
	StageWalk    Stage = ""        // all rows, page by page
	StageClosing Stage = "closing" // what changed meanwhile, until nothing does
	StageSettle  Stage = "settle"  // names of which not exactly one version is the latest
	StageLatest  Stage = "latest"  // the independent list of latest versions
	StageExplain Stage = "explain" // what differs from it
	StageSpot    Stage = "spot"    // names chosen by chance
	StageSum     Stage = "sum"     // chain and digests
	StageDone    Stage = "done"
)

// Position is where a crawl goes on, in whatever process. The zero value is its beginning. It is written as JSON.
type Position struct {
	Stage   Stage     `json:"stage"`
	State   State     `json:"state"`             // of the list that is being walked
	Closing int       `json:"closing,omitempty"` // number of the closing pass, from 1
	Since   time.Time `json:"since,omitzero"`    // what the closing pass asks for
	Pass    Change    `json:"pass"`              // what the current pass changed so far
	Lists   int       `json:"lists,omitempty"`   // version lists that were archived in the pass "settle"
	Name    string    `json:"name,omitempty"`    // last name that was settled or explained
	Proof   Proof     `json:"proof"`             // so far
}

// CrawlOptions are the choices for the closing of a crawl.
type CrawlOptions struct {
	Overlap    time.Duration // how far before its start a closing pass looks back; 30 min covers caches, locks and clocks
	SpotChecks int           // names to check; 300 without a miss mean less than 1 % wrong with 95 % confidence
	Seed       uint64        // chooses them
}

// DefaultCrawlOptions are those of a full census.
func DefaultCrawlOptions() CrawlOptions {
	return CrawlOptions{Overlap: 30 * time.Minute, SpotChecks: 300, Seed: 1}
}

// Increment returns the position from which a crawl goes on that begins with the rows of an earlier one, called base, and
// reads only what changed since: closing passes, and the same checks. The store must hold those rows already.
func Increment(earlier Position, base string) (Position, error) {
	switch {
	case earlier.Stage != StageDone:
		return Position{}, fmt.Errorf("the crawl of %s is not finished", base)
	case !earlier.Proof.Extensions.UpdatedSince || earlier.Since.IsZero():
		return Position{}, fmt.Errorf("the registry of %s does not understand updated_since, so only a full walk tells what changed", base)
	}
	p := Position{Stage: StageClosing, Closing: 1, Since: earlier.Since}
	p.Proof = Proof{
		Registry: earlier.Proof.Registry, Version: earlier.Proof.Version, API: earlier.Proof.API, Base: base,
		Started: earlier.Since, Extensions: earlier.Proof.Extensions,
	}
	return p, nil
}

// maxClosings ends the closing of a registry whose rows never stand still, such as one that invents a time of update for
// each answer.
const maxClosings = 20

// crawl is a crawl under way.
type crawl struct {
	c     *Client
	store Store
	o     CrawlOptions
	pos   Position
}

// Crawl reads the whole registry and proves it, going on from a position that the store has committed. It can be ended at
// any moment by its context and be called again. It returns the position it reached; when that is StageDone the error
// is nil and the proof says whether the crawl is complete. A [*Stopped] means that the registry did not let it finish.
func (c *Client) Crawl(ctx context.Context, store Store, from Position, o CrawlOptions) (Position, error) {
	w := &crawl{c: c, store: store, o: o, pos: from}
	stages := map[Stage]func(context.Context) error{
		StageWalk: w.walk, StageClosing: w.closing, StageSettle: w.settle, StageLatest: w.latest, StageExplain: w.explain,
		StageSpot: w.spot, StageSum: w.sum,
	}
	for w.pos.Stage != StageDone {
		work, ok := stages[w.pos.Stage]
		if !ok {
			return w.pos, fmt.Errorf("unknown stage %q of a crawl: it was started by another version of the program", w.pos.Stage)
		}
		if err := work(ctx); err != nil {
			return w.pos, err
		}
	}
	return w.pos, nil
}

// enter commits the beginning of the next stage.
func (w *crawl) enter(ctx context.Context, stage Stage) error {
	w.pos.Stage, w.pos.State, w.pos.Pass, w.pos.Name = stage, State{}, Change{}, ""
	return w.store.Save(ctx, w.pos)
}

// list walks one list as a pass and logs it.
func (w *crawl) list(ctx context.Context, pass Pass, q Query) error {
	state, err := w.c.Walk(ctx, q, w.pos.State, sink{w, pass})
	if err != nil {
		return err
	}
	w.pos.Proof = w.pos.Proof.clone()
	passes := slices.DeleteFunc(w.pos.Proof.Passes, func(p PassProof) bool { return p.Name == pass.Name }) // logged before a stop
	w.pos.Proof.Passes = append(passes, PassProof{
		Name: pass.Name, Since: q.UpdatedSince, Started: state.Started, New: w.pos.Pass.New, Changed: w.pos.Pass.Changed, Gaps: state.Gaps,
		Tally: state.Tally,
	})
	return nil
}

// sink commits what a walk finds together with the position of the crawl.
type sink struct {
	w    *crawl
	pass Pass
}

func (s sink) Page(ctx context.Context, p Page, c PageContent, next State) error {
	return s.w.commit(ctx, s.pass, p, c, func(pos *Position, change Change) {
		pos.State = next
		pos.Pass.New += change.New
		pos.Pass.Changed += change.Changed
		pos.Pass.Same += change.Same
	})
}

func (s sink) Failed(ctx context.Context, next State) error {
	s.w.pos.State = next
	return s.w.store.Save(ctx, s.w.pos)
}

// commit stores a page with the position that move makes of the current one.
func (w *crawl) commit(ctx context.Context, pass Pass, p Page, c PageContent, move func(*Position, Change)) error {
	var committed Position
	err := w.store.Page(ctx, pass, p, c, func(change Change) Position {
		committed = w.pos
		committed.Proof = w.pos.Proof.clone()
		move(&committed, change)
		return committed
	})
	if err == nil {
		w.pos = committed
	}
	return err
}

// walk reads all rows.
func (w *crawl) walk(ctx context.Context) error {
	if w.pos.State.Seq == 0 && w.pos.Proof.Version == "" {
		w.pos.Proof.Registry = w.c.Base()
		w.pos.Proof.Version, _ = w.c.Version(ctx) // a registry that does not say is read all the same
	}
	if err := w.list(ctx, Pass{Name: "walk", Applies: true}, Query{IncludeDeleted: true}); err != nil {
		return err
	}
	state, proof := w.pos.State, &w.pos.Proof
	proof.Started = state.Started
	// Rows that were stored already came a second time.
	proof.Passes[0].Repeated += w.pos.Pass.Changed + w.pos.Pass.Same
	var err error
	if proof.Extensions, err = w.extensions(ctx); err != nil {
		return err
	}
	proof.API = w.c.API()
	if !proof.Extensions.UpdatedSince {
		proof.Closing = ClosingSkipped
		return w.enter(ctx, StageLatest)
	}
	w.pos.Closing, w.pos.Since = 1, proof.Started.Add(-w.o.Overlap)
	return w.enter(ctx, StageClosing)
}

// extensions finds out which parameters the registry understands: unknown ones are silently ignored, so it asks for
// what cannot exist. A registry that shows rows all the same has not understood.
func (w *crawl) extensions(ctx context.Context) (Extensions, error) {
	understands := func(q Query) (bool, error) {
		save := func() error { return nil } // two requests; a process that takes over asks again
		_, content, err := w.c.steadily(ctx, list, q.path(1, ""), &Trouble{}, save)
		if refused(err) {
			return false, nil
		}
		return err == nil && len(content.Rows) == 0, err
	}
	var e Extensions
	var err error
	if e.UpdatedSince, err = understands(Query{UpdatedSince: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}); err != nil {
		return e, err
	}
	e.Version, err = understands(Query{Version: "no-such-version-of-anything"})
	return e, err
}

// closing applies what changed since the walk began, again and again until a pass changes nothing.
func (w *crawl) closing(ctx context.Context) error {
	pass := Pass{Name: fmt.Sprintf("closing.%d", w.pos.Closing), Applies: true}
	if err := w.list(ctx, pass, Query{UpdatedSince: w.pos.Since}); err != nil {
		return err
	}
	changed := w.pos.Pass.New + w.pos.Pass.Changed
	w.pos.Since = w.pos.State.Started.Add(-w.o.Overlap)
	switch {
	case changed == 0:
		w.pos.Proof.Closing = ClosingDone
	case w.pos.Closing == maxClosings:
		w.pos.Proof.Closing = ClosingRestless
	default:
		w.pos.Closing++
		return w.enter(ctx, StageClosing)
	}
	return w.enter(ctx, StageSettle)
}
