package registry

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
)

// name is what the stored rows say of one server name.
type name struct {
	Name    string
	Live    int    // rows that are not deleted
	Latests int    // live rows that are marked as the latest
	Latest  string // version of the last of these
}

// names groups the stored rows.
func (w *crawl) names(ctx context.Context) iter.Seq2[name, error] {
	return func(yield func(name, error) bool) {
		var n name
		started := false
		for row, err := range w.store.Rows(ctx, "") {
			if err != nil {
				yield(name{}, err)
				return
			}
			if started && row.Name != n.Name {
				if !yield(n, nil) {
					return
				}
				n = name{}
			}
			started, n.Name = true, row.Name
			if row.Status == Deleted {
				continue
			}
			n.Live++
			if row.IsLatest {
				n.Latests++
				n.Latest = row.Version
			}
		}
		if started {
			yield(n, nil)
		}
	}
}

// unsettled returns the names, in order, of which not exactly one version is the latest although some are not deleted.
func (w *crawl) unsettled(ctx context.Context) ([]string, error) {
	var list []string
	for n, err := range w.names(ctx) {
		if err != nil {
			return nil, err
		}
		if n.Live > 0 && n.Latests != 1 {
			list = append(list, n.Name)
		}
	}
	return list, nil
}

// sample chooses k names by chance (reservoir sampling, so that they need not all be held), in order. The same seed
// chooses the same names of the same rows.
func (w *crawl) sample(ctx context.Context, k int) ([]string, error) {
	chance := rand.New(rand.NewPCG(w.o.Seed, uint64(k)))
	var chosen []string
	seen := 0
	for n, err := range w.names(ctx) {
		if err != nil {
			return nil, err
		}
		seen++
		if len(chosen) < k {
			chosen = append(chosen, n.Name)
		} else if i := chance.IntN(seen); i < k {
			chosen[i] = n.Name
		}
	}
	slices.Sort(chosen)
	return chosen, nil
}
