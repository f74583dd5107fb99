package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// passWalk is the pass that reads every row; see registry.Pass.
const passWalk = "walk"

// walkStore keeps a crawl of the registry in the database.
type walkStore struct {
	*process
	run string
}

// longestIdentity is how many bytes name and version may have together to be a key; longer ones are kept as bad rows.
const longestIdentity = 2000

// Page stores a page raw, then its rows, and the position behind it, in one transaction.
func (s *walkStore) Page(ctx context.Context, pass registry.Pass, p registry.Page, c registry.PageContent, after func(registry.Change) registry.Position) error {
	rows, bad, entries := s.rowsOf(pass, p, c)
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.page(ctx, tx, pass, p, c); err != nil {
			return err
		}
		change, err := s.change(ctx, tx, rows)
		if err != nil {
			return err
		}
		if err := queries.InsertEntries(ctx, tx, entries); err != nil {
			return err
		}
		if err := queries.UpsertRows(ctx, tx, rows); err != nil {
			return err
		}
		if err := queries.InsertBadRows(ctx, tx, bad); err != nil {
			return err
		}
		return savePosition(ctx, queries.New(tx), s.run, after(change))
	})
	if err != nil {
		return err
	}
	s.Metrics.page(len(c.Rows), p.Attempts)
	return nil
}

func (s *walkStore) page(ctx context.Context, tx pgx.Tx, pass registry.Pass, p registry.Page, c registry.PageContent) error {
	bodies := bodySet{}
	sum := sha256.Sum256(p.Body)
	bodies[sum] = p.Body
	if p.Stale != nil {
		bodies.add(p.Stale.Body)
	}
	if err := queries.InsertBodies(ctx, tx, bodies.rows()); err != nil {
		return err
	}
	anomalies := c.Anomalies
	if anomalies == nil {
		anomalies = []string{}
	}
	err := queries.New(tx).InsertPage(ctx, queries.InsertPageParams{
		RunID: s.run, Pass: pass.Name, Seq: int32(p.Seq), Request: text(p.Request), Asked: int32(p.Limit), CursorIn: p.Cursor, CursorOut: p.NextCursor,
		Status: int32(p.Status), Header: p.Header.Encode(), BodySha256: sum[:], BodyLength: int64(len(p.Body)),
		Rows: int32(len(c.Rows)), BadRows: int32(c.Bad()), Attempts: int32(p.Attempts), FetchedAt: p.Fetched, Anomalies: anomalies,
	})
	if err != nil {
		return fmt.Errorf("store page %d of pass %s: %w", p.Seq, pass.Name, err)
	}
	return nil
}

func (s *walkStore) rowsOf(pass registry.Pass, p registry.Page, c registry.PageContent) ([]queries.Row, []queries.BadRow, []queries.Entry) {
	if !pass.Applies {
		return nil, nil, nil
	}
	var rows []queries.Row
	var bad []queries.BadRow
	var entries []queries.Entry
	entry := func(raw []byte) []byte {
		sum := sha256.Sum256(raw)
		entries = append(entries, queries.Entry{Sha256: sum[:], Bytes: raw})
		return sum[:]
	}
	reject := func(r registry.Row, reason string) {
		bad = append(bad, queries.BadRow{
			RunID: s.run, Pass: pass.Name, Page: int32(p.Seq), Position: int32(r.Index), EntrySha256: entry(r.Raw), Reason: reason,
		})
	}
	for _, r := range c.Rows {
		if r.Bad != "" {
			reject(r, r.Bad)
		}
	}
	for _, r := range c.Keyed() {
		if len(r.Name)+len(r.Version) > longestIdentity {
			reject(r, "identity_too_long")
			continue
		}
		anomalies := r.Anomalies
		if anomalies == nil {
			anomalies = []string{}
		}
		rows = append(rows, queries.Row{
			RunID: s.run, Name: r.Name, Version: r.Version, Status: r.Status, IsLatest: r.IsLatest, PublishedAt: r.PublishedAt,
			UpdatedAt: r.UpdatedAt, EntrySha256: entry(r.Raw), Pass: pass.Name, Page: int32(p.Seq), Position: int32(r.Index), Anomalies: anomalies,
		})
	}
	return rows, bad, entries
}

// change counts what the rows of a page will do to the stored ones.
func (s *walkStore) change(ctx context.Context, tx pgx.Tx, rows []queries.Row) (registry.Change, error) {
	var change registry.Change
	if len(rows) == 0 {
		return change, nil
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	stored, err := queries.New(tx).HashesOfNames(ctx, queries.HashesOfNamesParams{RunID: s.run, Names: names})
	if err != nil {
		return change, fmt.Errorf("look up stored rows: %w", err)
	}
	hashes := map[[2]string][]byte{}
	for _, r := range stored {
		hashes[[2]string{r.Name, r.Version}] = r.EntrySha256
	}
	for _, r := range rows {
		hash, known := hashes[[2]string{r.Name, r.Version}]
		switch {
		case !known:
			change.New++
		case !bytes.Equal(hash, r.EntrySha256):
			change.Changed++
		default:
			change.Same++
		}
	}
	return change, nil
}

// Save commits a position alone.
func (s *walkStore) Save(ctx context.Context, pos registry.Position) error {
	return savePosition(ctx, queries.New(s.Pool), s.run, pos)
}

func savePosition(ctx context.Context, q *queries.Queries, run string, pos registry.Position) error {
	position, err := json.Marshal(pos)
	if err != nil {
		return fmt.Errorf("write where the walk stands: %w", err)
	}
	if err := q.SetWalk(ctx, queries.SetWalkParams{RunID: run, WalkState: walkRunning, WalkPosition: position}); err != nil {
		return fmt.Errorf("store where the walk stands: %w", err)
	}
	return nil
}

// Pages yields the archived pages of a pass in order.
func (s *walkStore) Pages(ctx context.Context, pass string) iter.Seq2[registry.Page, error] {
	return func(yield func(registry.Page, error) bool) {
		q := queries.New(s.Pool)
		for seq := int32(0); ; seq++ {
			p, err := q.GetPage(ctx, queries.GetPageParams{RunID: s.run, Pass: pass, Seq: seq})
			if errors.Is(err, pgx.ErrNoRows) {
				return
			}
			if err != nil {
				yield(registry.Page{}, fmt.Errorf("read page %d of pass %s: %w", seq, pass, err))
				return
			}
			page := registry.Page{
				Response: registry.Response{Request: p.Request, Status: int(p.Status), Header: wire.DecodeHeader(p.Header), Body: p.Body, Fetched: p.FetchedAt},
				Seq:      int(p.Seq), Limit: int(p.Asked), Cursor: p.CursorIn, NextCursor: p.CursorOut, Attempts: int(p.Attempts),
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// rowsAtATime is how many rows are held in memory while all are streamed.
const rowsAtATime = 5000

// Rows yields the stored rows in bytewise order: those of one name, or all when it is empty.
func (s *walkStore) Rows(ctx context.Context, name string) iter.Seq2[registry.Stored, error] {
	return func(yield func(registry.Stored, error) bool) {
		q := queries.New(s.Pool)
		if name != "" {
			rows, err := q.StoredRowsOfName(ctx, queries.StoredRowsOfNameParams{RunID: s.run, Name: name})
			if err != nil {
				yield(registry.Stored{}, fmt.Errorf("read the rows of %s: %w", name, err))
				return
			}
			for _, r := range rows {
				if !yield(storedRow(queries.StoredRowsRow(r)), nil) {
					return
				}
			}
			return
		}
		after := queries.StoredRowsParams{RunID: s.run, AtMost: rowsAtATime}
		for {
			rows, err := q.StoredRows(ctx, after)
			if err != nil {
				yield(registry.Stored{}, fmt.Errorf("read the rows: %w", err))
				return
			}
			for _, r := range rows {
				if !yield(storedRow(r), nil) {
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

func storedRow(r queries.StoredRowsRow) registry.Stored {
	s := registry.Stored{Name: r.Name, Version: r.Version, Status: r.Status, IsLatest: r.IsLatest != nil && *r.IsLatest, SHA256: [32]byte(r.EntrySha256)}
	if r.UpdatedAt != nil {
		s.UpdatedAt = *r.UpdatedAt
	}
	return s
}
