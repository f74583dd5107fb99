package registry

import (
	"context"
	"fmt"
	"iter"
)

// spot compares the stored rows of some names with the lists of their versions.
func (w *crawl) spot(ctx context.Context) error {
	chosen, err := w.sample(ctx, w.o.SpotChecks)
	if err != nil {
		return err
	}
	w.pos.Proof = w.pos.Proof.clone()
	w.pos.Proof.Spot.Seed, w.pos.Proof.Spot.Wanted = w.o.Seed, w.o.SpotChecks
	for i := w.pos.Proof.Spot.Checked; i < len(chosen); i++ {
		if err := w.spotOne(ctx, chosen[i]); err != nil {
			return err
		}
	}
	return w.enter(ctx, StageSum)
}

func (w *crawl) spotOne(ctx context.Context, of string) error {
	stored := map[string]Stored{}
	for row, err := range w.store.Rows(ctx, of) {
		if err != nil {
			return err
		}
		stored[row.Version] = row
	}
	p, c, answered, err := w.versions(ctx, of)
	if err != nil {
		return err
	}
	if !answered {
		w.pos.Proof = w.pos.Proof.clone()
		s := &w.pos.Proof.Spot
		s.Checked++
		if w.pos.Proof.Extensions.UpdatedSince {
			s.Wrong = append(s.Wrong, of) // the official registry has such lists, so the name is gone
		} else {
			s.Unanswered++
		}
		return w.store.Save(ctx, w.pos)
	}
	p.Seq = w.pos.Proof.Spot.Checked - w.pos.Proof.Spot.Unanswered
	return w.commit(ctx, spotPass, p, c, func(pos *Position, _ Change) {
		pos.State = State{}
		s := &pos.Proof.Spot
		s.Checked++
		switch {
		case sameRows(stored, c):
			s.Equal++
		case !pos.Since.IsZero() && changedSince(c, pos.Since):
			s.Explained++
		default:
			s.Wrong = append(s.Wrong, of)
		}
	})
}

func sameRows(stored map[string]Stored, c PageContent) bool {
	listed := c.Keyed()
	if len(listed) != len(stored) {
		return false
	}
	for _, row := range listed {
		if was, ok := stored[row.Version]; !ok || was.Name != row.Name || was.SHA256 != StoredRow(row).SHA256 {
			return false
		}
	}
	return true
}

// sum checks the chain of the archived pages, derives the digest twice, and counts.
func (w *crawl) sum(ctx context.Context) error {
	proof := w.pos.Proof.clone()
	if err := w.replay(ctx, &proof); err != nil {
		return err
	}
	var err error
	proof.Rows, proof.Names, proof.Statuses = 0, 0, nil
	last := ""
	counted := func(yield func(Stored, error) bool) {
		for row, err := range w.store.Rows(ctx, "") {
			if err == nil {
				if proof.Rows == 0 || row.Name != last {
					proof.Names++
				}
				last = row.Name
				proof.Rows++
				count(&proof.Statuses, row.Status)
			}
			if !yield(row, err) {
				return
			}
		}
	}
	if proof.Digest, err = Digest(counted); err != nil {
		return fmt.Errorf("sum up the rows: %w", err)
	}
	proof.Finished = w.c.o.Clock.Now().UTC()
	w.pos.Proof = proof
	return w.enter(ctx, StageDone)
}

// replay checks the chain of a full walk, and derives its digest from the archived pages alone. A crawl that only read
// what changed has no chain and not all pages; its proof says so.
func (w *crawl) replay(ctx context.Context, proof *Proof) (err error) {
	if proof.Base != "" {
		return nil
	}
	proof.Chain = ""
	if len(proof.Passes) > 0 && len(proof.Passes[0].Gaps) == 0 { // a jump breaks the chain, and says so itself
		if proof.Chain, err = Chain(w.store.Pages(ctx, "walk")); err != nil {
			return fmt.Errorf("read the archived pages: %w", err)
		}
	}
	if proof.Replayed, err = Replay(w.applied(ctx)); err != nil {
		return fmt.Errorf("derive the rows again from the archived pages: %w", err)
	}
	return nil
}

// applied yields the archived pages of all passes that apply, in the order in which they were applied.
func (w *crawl) applied(ctx context.Context) iter.Seq2[Page, error] {
	passes := []string{"walk"}
	for i := 1; i <= w.pos.Closing; i++ {
		passes = append(passes, fmt.Sprintf("closing.%d", i))
	}
	passes = append(passes, settlePass.Name)
	return func(yield func(Page, error) bool) {
		for _, pass := range passes {
			for p, err := range w.store.Pages(ctx, pass) {
				if !yield(p, err) {
					return
				}
			}
		}
	}
}
