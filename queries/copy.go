package queries

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// table says how values of T become rows of one table. The three ways to write are all COPY; they differ in what happens
// to a row whose key is there already.
type table[T any] struct {
	name    string
	key     []string // columns of the primary key
	columns []string
	values  func(T) []any
}

// copy writes rows that cannot be there yet; a repeated key is an error.
func (t table[T]) copy(ctx context.Context, tx pgx.Tx, rows []T) error {
	return t.copyTo(ctx, tx, t.name, rows)
}

// copyMissing writes the rows whose key is not there yet, and leaves the others alone.
func (t table[T]) copyMissing(ctx context.Context, tx pgx.Tx, rows []T) error {
	return t.stage(ctx, tx, rows, "on conflict do nothing")
}

// copyOver writes all rows; those whose key is there already are replaced.
func (t table[T]) copyOver(ctx context.Context, tx pgx.Tx, rows []T) error {
	set := make([]string, len(t.columns))
	for i, c := range t.columns {
		set[i] = fmt.Sprintf("%s = excluded.%s", c, c)
	}
	return t.stage(ctx, tx, rows, fmt.Sprintf("on conflict (%s) do update set %s", strings.Join(t.key, ", "), strings.Join(set, ", ")))
}

// stage copies into a temporary table of this connection, then inserts from there.
func (t table[T]) stage(ctx context.Context, tx pgx.Tx, rows []T, onConflict string) error {
	if len(rows) == 0 {
		return nil
	}
	staging := "staging_" + t.name
	if _, err := tx.Exec(ctx, fmt.Sprintf("create temp table if not exists %s (like %s) on commit delete rows", staging, t.name)); err != nil {
		return fmt.Errorf("create the staging table of %s: %w", t.name, err)
	}
	if err := t.copyTo(ctx, tx, staging, rows); err != nil {
		return err
	}
	columns := strings.Join(t.columns, ", ")
	// Sorted by key, so that transactions that write the same shared rows lock them in the same order.
	insert := fmt.Sprintf("insert into %s (%s) select %s from %s order by %s %s",
		t.name, columns, columns, staging, strings.Join(t.key, ", "), onConflict)
	if _, err := tx.Exec(ctx, insert); err != nil {
		return fmt.Errorf("write %s: %w", t.name, err)
	}
	// The same transaction may write the same table again.
	if _, err := tx.Exec(ctx, "delete from "+staging); err != nil {
		return fmt.Errorf("empty the staging table of %s: %w", t.name, err)
	}
	return nil
}

func (t table[T]) copyTo(ctx context.Context, tx pgx.Tx, name string, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	source := pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) { return t.values(rows[i]), nil })
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{name}, t.columns, source); err != nil {
		return fmt.Errorf("copy into %s: %w", t.name, err)
	}
	return nil
}
