package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Pass is one of the readings that a crawl consists of.
type Pass struct {
	// Name is "walk", "closing.1", "closing.2" and so on, "settle", "latest" or "spot".
	Name string
	// Applies says that the rows of its pages replace stored rows of the same name and version. The pages of the other
	// passes are only archived: they check what is stored.
	Applies bool
}

// Stored is a row in the store.
type Stored struct {
	Name, Version string
	Status        string
	IsLatest      bool // false also when the registry does not say
	UpdatedAt     time.Time
	SHA256        [32]byte // of the row's bytes, as ReadPage gives them
}

// StoredRow is what a store has to keep of a row so that the proof can be made.
func StoredRow(row Row) Stored {
	s := Stored{
		Name: row.Name, Version: row.Version, Status: row.Status,
		IsLatest: row.IsLatest != nil && *row.IsLatest, SHA256: sha256.Sum256(row.Raw),
	}
	if row.UpdatedAt != nil {
		s.UpdatedAt = *row.UpdatedAt
	}
	return s
}

// Change counts what the keyed rows of a page did to the stored ones.
type Change struct{ New, Changed, Same int }

// Store keeps pages, rows and the position of a crawl.
type Store interface {
	// Page commits in one transaction: the page, its rows (when the pass applies them, those of [PageContent.Keyed],
	// else none), and the position that after returns for what the rows changed. It may call after again when it has to
	// repeat the transaction.
	Page(ctx context.Context, pass Pass, p Page, c PageContent, after func(Change) Position) error
	// Save commits a position alone.
	Save(ctx context.Context, pos Position) error
	// Pages yields the archived pages of a pass in the order of Seq. Seq, Cursor, NextCursor, Limit and Body are enough.
	Pages(ctx context.Context, pass string) iter.Seq2[Page, error]
	// Rows yields the stored rows in bytewise order of name and version: those of one name, or all when it is empty.
	Rows(ctx context.Context, name string) iter.Seq2[Stored, error]
}

// Digest is the fingerprint of a set of rows: SHA-256 over "name NUL version NUL hex(SHA-256 of the row) LF" for each row,
// in bytewise order of name and version. The rows must come in that order, each once.
func Digest(rows iter.Seq2[Stored, error]) (string, error) {
	h := sha256.New()
	var last Stored
	first := true
	for row, err := range rows {
		if err != nil {
			return "", err
		}
		if !first && compareKeys(last, row) >= 0 {
			return "", fmt.Errorf("rows are not in order: %q %q comes after %q %q", row.Name, row.Version, last.Name, last.Version)
		}
		first, last = false, row
		fmt.Fprintf(h, "%s\x00%s\x00%x\n", row.Name, row.Version, row.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func compareKeys(a, b Stored) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.Version, b.Version)
}

// Chain checks the archived pages of a finished pass: they are numbered from 0, each was asked for with the cursor that
// the one before gives, and only the last gives none. The cursors are read from the bodies again. It returns what is
// wrong, or nothing; the error is that of reading the archive.
func Chain(pages iter.Seq2[Page, error]) (fault string, err error) {
	next, cursor, done := 0, "", false
	for p, err := range pages {
		if err != nil {
			return "", err
		}
		c, err := ReadPage(p.Body)
		switch {
		case err != nil:
			return fmt.Sprintf("page %d: %v", p.Seq, err), nil
		case done:
			return fmt.Sprintf("page %d follows a page without a next cursor", p.Seq), nil
		case p.Seq != next:
			return fmt.Sprintf("page %d is missing", next), nil
		case p.Cursor != cursor:
			return fmt.Sprintf("page %d was read with cursor %q, but the page before gives %q", p.Seq, p.Cursor, cursor), nil
		case p.NextCursor != c.NextCursor:
			return fmt.Sprintf("page %d gives cursor %q, but %q was noted", p.Seq, c.NextCursor, p.NextCursor), nil
		}
		next, cursor, done = next+1, c.NextCursor, c.NextCursor == ""
	}
	if !done {
		return "the last page is missing", nil
	}
	return "", nil
}

// Replay derives the rows again from archived pages, given in the order in which their passes applied them, and
// returns their digest. It needs no network, so that anybody can check the digest of a published proof.
func Replay(pages iter.Seq2[Page, error]) (string, error) {
	rows := map[[2]string]Stored{}
	for p, err := range pages {
		if err != nil {
			return "", err
		}
		c, err := ReadPage(bytes.Clone(p.Body))
		if err != nil {
			return "", fmt.Errorf("page %d: %w", p.Seq, err)
		}
		for _, row := range c.Keyed() {
			rows[[2]string{row.Name, row.Version}] = StoredRow(row)
		}
	}
	return Digest(sortedRows(rows))
}
