package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/crawler/target"
	"github.com/mcpcensus/mcpcensus/queries"
)

// surfaceRemote is the surface of endpoints, as stored in target.surface.
const surfaceRemote = "remote"

// frameWorker makes the targets of a run from its rows, in one transaction.
type frameWorker struct {
	river.WorkerDefaults[frameArgs]
	*process
}

func (w *frameWorker) Timeout(*river.Job[frameArgs]) time.Duration { return noTimeout }

func (w *frameWorker) Work(ctx context.Context, job *river.Job[frameArgs]) error {
	return w.try(ctx, job.Args.Run, len(job.Errors), func(ctx context.Context) error {
		return w.inTx(ctx, func(tx pgx.Tx) error { return w.work(ctx, tx, job) })
	})
}

func (w *frameWorker) work(ctx context.Context, tx pgx.Tx, job *river.Job[frameArgs]) error {
	run := job.Args.Run
	q := queries.New(tx)
	_, settings, err := readRun(ctx, q, run)
	if err != nil {
		return err
	}
	optOut, err := w.optOuts(ctx, q, settings)
	if err != nil {
		return err
	}
	if err := q.ClearFrame(ctx, run); err != nil {
		return fmt.Errorf("clear the frame of run %s: %w", run, err)
	}
	options := target.Options{AllVersions: settings.AllVersions, AllowPrivate: settings.AllowPrivate, OptOut: optOut}
	declarations := &declarationWriter{run: run, tx: tx}
	framer, err := target.Frame(rowsOf(ctx, q, run), options, func(list []target.Declaration) error {
		return declarations.add(ctx, list)
	})
	if err != nil {
		return fmt.Errorf("make the frame of run %s: %w", run, err)
	}
	if err := declarations.flush(ctx); err != nil {
		return err
	}
	targets, err := targetRows(run, framer.Targets(), settings)
	if err != nil {
		return err
	}
	if err := queries.CopyTargets(ctx, tx, targets); err != nil {
		return err
	}
	return w.start(ctx, tx, job, framer.Counts())
}

// start moves the run on to its visits, or behind them when there is nobody to visit.
func (w *frameWorker) start(ctx context.Context, tx pgx.Tx, job *river.Job[frameArgs], counts target.Counts) error {
	q := queries.New(tx)
	frame, err := json.Marshal(counts)
	if err != nil {
		return fmt.Errorf("write the numbers of the frame: %w", err)
	}
	made, err := q.MakeHosts(ctx, job.Args.Run)
	if err != nil {
		return fmt.Errorf("list the hosts of run %s: %w", job.Args.Run, err)
	}
	hosts := int32(made)
	moved, err := q.StartProbing(ctx, queries.StartProbingParams{RunID: job.Args.Run, Hosts: &hosts, Frame: frame})
	if err != nil {
		return fmt.Errorf("begin the visits of run %s: %w", job.Args.Run, err)
	}
	switch {
	case moved == 0:
	case made == 0:
		err = w.enter(ctx, tx, job.Args.Run, Probe, Classify)
	default:
		err = w.begin(ctx, tx, job.Args.Run, Probe)
	}
	if err != nil {
		return err
	}
	return complete(ctx, tx, job)
}

// optOuts joins the shipped list, the table and the list of the run.
func (w *frameWorker) optOuts(ctx context.Context, q *queries.Queries, s Settings) (polite.OptOut, error) {
	patterns, err := q.OptOuts(ctx)
	if err != nil {
		return polite.OptOut{}, fmt.Errorf("read the opt-outs: %w", err)
	}
	all := target.ShippedOptOuts() + "\n" + strings.Join(slices.Concat(patterns, s.OptOut), "\n")
	list, err := polite.ReadOptOut(strings.NewReader(all))
	if err != nil {
		return polite.OptOut{}, fmt.Errorf("read the opt-outs: %w", err)
	}
	return list, nil
}

// rowsOf streams the rows of a run with their entries. What the registry says of a row may have changed since the entry
// was read, so status and latest come from the row.
func rowsOf(ctx context.Context, q *queries.Queries, run string) iter.Seq2[registry.Row, error] {
	return func(yield func(registry.Row, error) bool) {
		after := queries.PageRowsParams{RunID: run, AtMost: rowsAtATime}
		for {
			rows, err := q.PageRows(ctx, after)
			if err != nil {
				yield(registry.Row{}, fmt.Errorf("read the rows: %w", err))
				return
			}
			for _, r := range rows {
				row := registry.ReadRow(r.Entry)
				row.Name, row.Version, row.Status, row.IsLatest = r.Name, r.Version, r.Status, r.IsLatest
				if !yield(row, nil) {
					return
				}
			}
			if len(rows) < rowsAtATime {
				return
			}
			after.AfterName, after.AfterVersion = rows[len(rows)-1].Name, rows[len(rows)-1].Version
		}
	}
}

// declarationWriter stores declarations in batches.
type declarationWriter struct {
	run          string
	tx           pgx.Tx
	declarations []queries.Declaration
	links        []queries.TargetDeclaration
}

func (d *declarationWriter) add(ctx context.Context, list []target.Declaration) error {
	for i := range list {
		row := declarationRow(d.run, &list[i])
		d.declarations = append(d.declarations, row)
		for _, key := range list[i].Targets {
			d.links = append(d.links, queries.TargetDeclaration{
				RunID: d.run, TargetID: targetID(key), Name: row.Name, Version: row.Version, Kind: row.Kind, Position: row.Position,
			})
		}
	}
	if len(d.declarations) < rowsAtATime {
		return nil
	}
	return d.flush(ctx)
}

func (d *declarationWriter) flush(ctx context.Context) error {
	if err := queries.CopyDeclarations(ctx, d.tx, d.declarations); err != nil {
		return err
	}
	if err := queries.CopyTargetDeclarations(ctx, d.tx, d.links); err != nil {
		return err
	}
	d.declarations, d.links = d.declarations[:0], d.links[:0]
	return nil
}

func declarationRow(run string, d *target.Declaration) queries.Declaration {
	row := queries.Declaration{
		RunID: run, Name: d.Row.Name, Version: d.Row.Version, Kind: string(d.Kind), Position: int32(d.Index), Type: text(d.Type),
		Raw: text(d.Raw), Flags: []string{},
	}
	if d.Kind != target.KindRemote {
		return row
	}
	e := &d.Endpoint
	class, hostClass := string(e.Class), string(e.HostClass)
	row.Key, row.Host, row.Domain = some(e.Key), some(e.Host), some(e.Domain)
	row.KeyNoSlash, row.KeyNoQuery = some(e.E2), some(e.E3)
	row.EndpointClass, row.HostClass = &class, &hostClass
	row.Port, row.QueryNames = some(e.Port), texts(e.QueryNames)
	version := int32(target.CanonicalizerVersion)
	row.Canonicaliser = &version
	if e.Flags != nil {
		row.Flags = e.Flags
	}
	row.Inputs = inputsOf(d)
	return row
}

// input is what is stored of a header or variable: never its value, which may be a secret.
type input struct {
	Kind       string `json:"kind"` // header or variable
	Name       string `json:"name"`
	Required   bool   `json:"required,omitempty"`
	Secret     bool   `json:"secret,omitempty"`
	HasValue   bool   `json:"has_value,omitempty"`
	HasDefault bool   `json:"has_default,omitempty"`
	Choices    int    `json:"choices,omitempty"`
}

func inputsOf(d *target.Declaration) []byte {
	var list []input
	for kind, inputs := range map[string][]registry.Input{"header": d.Headers, "variable": d.Inputs} {
		for _, i := range inputs {
			list = append(list, input{kind, text(i.Name), i.Required, i.Secret, i.Value != nil, i.Default != nil, len(i.Choices)})
		}
	}
	if list == nil {
		return nil
	}
	slices.SortStableFunc(list, func(a, b input) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	stored, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings, booleans and a number
	}
	return stored
}

func texts(list []string) []string {
	for i := range list {
		list[i] = text(list[i])
	}
	return list
}

// some is a text, or null for an empty one.
func some(s string) *string {
	if s == "" {
		return nil
	}
	s = text(s)
	return &s
}

// targetID derives the id of an endpoint from its key.
func targetID(key string) int64 {
	sum := sha256.Sum256([]byte(surfaceRemote + "\x00" + key))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// rankOf orders targets by chance, the same for the same seed.
func rankOf(seed uint64, key string) int64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], seed)
	sum := sha256.Sum256(append(b[:], key...))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

func targetRows(run string, targets []target.Target, s Settings) ([]queries.Target, error) {
	rows := make([]queries.Target, len(targets))
	ids := make(map[int64]string, len(targets))
	var eligible []*queries.Target
	for i, t := range targets {
		id := targetID(t.Key)
		if other, taken := ids[id]; taken {
			return nil, fmt.Errorf("the endpoints %q and %q have the same id: report it as a bug", t.Key, other)
		}
		ids[id] = t.Key
		types := make([]string, 0, len(t.Types))
		for _, known := range t.Types {
			types = append(types, string(known))
		}
		rows[i] = queries.Target{
			RunID: run, TargetID: id, Surface: surfaceRemote, Key: text(t.Key), Url: text(t.URL), Host: text(t.Host), Domain: text(t.Domain),
			Publisher: t.Publisher, Operator: t.Operator, Types: types, Names: int32(len(t.Names)), Eligible: t.Reason == target.Eligible,
			Reason: string(t.Reason), Rule: text(t.Rule), Rank: rankOf(s.Seed, t.Key),
		}
		if rows[i].Eligible {
			rows[i].Sampled = true
			eligible = append(eligible, &rows[i])
		}
	}
	if s.Limit > 0 && s.Limit < len(eligible) {
		slices.SortFunc(eligible, func(a, b *queries.Target) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.TargetID, b.TargetID))
		})
		for _, t := range eligible[s.Limit:] {
			t.Sampled = false
		}
	}
	return rows, nil
}
