package migrations

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed [0-9]*.sql
var files embed.FS

// lockKey is the advisory lock under which migrations are applied, so that two programs never apply the same one.
const lockKey = 0x6d63_7063_656e_7375 // "mcpcensu"

// createTable makes the table that records what was applied. It is made in the first schema of the search path.
const createTable = `
create table if not exists schema_migration (
    version    integer primary key check (version > 0),
    name       text not null,
    checksum   bytea not null check (length(checksum) = 32),
    applied_at timestamptz not null default now()
);
comment on table schema_migration is 'Migrations of the schema that were applied to this database.';
comment on column schema_migration.version is 'Number of the migration, from 1 without gaps.';
comment on column schema_migration.name is 'Name of its file.';
comment on column schema_migration.checksum is 'SHA-256 of its file, with LF line ends.';
comment on column schema_migration.applied_at is 'When the transaction that applied it began.';
`

// DB is a connection or a pool.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Migration is one numbered SQL file.
type Migration struct {
	Version  int
	Name     string // the file name
	SQL      string
	Checksum [sha256.Size]byte // SHA-256 of SQL
}

// Condition is how a migration stands in a database.
type Condition string

// The conditions of a migration.
const (
	Applied Condition = "applied"
	Pending Condition = "pending"
	Changed Condition = "changed" // applied, but its file had another name or text then
	Unknown Condition = "unknown" // applied by a program that has files which this one has not
)

// State is one migration as it stands in a database.
type State struct {
	Version   int
	Name      string
	Condition Condition
	AppliedAt time.Time // zero while pending
}

// All returns the migrations of this program in their order.
func All() ([]Migration, error) { return load(files) }

// Up applies, in order, every migration that the database lacks, each in its own transaction, and returns the names of
// those applied. It changes nothing if the database holds a migration that is unknown or was changed since.
func Up(ctx context.Context, db DB) (applied []string, err error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return up(ctx, db, all)
}

// Status tells how each migration stands, in order. It changes nothing.
func Status(ctx context.Context, db DB) ([]State, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	tx, err := db.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the state of the schema: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing was changed
	records, err := readRecords(ctx, tx)
	if err != nil {
		return nil, err
	}
	return compare(all, records), nil
}

var fileName = regexp.MustCompile(`^([0-9]{4})_[a-z0-9_]+\.sql$`)

// load reads the migrations in a folder, and refuses names that do not fit, duplicates and gaps.
func load(fsys fs.FS) ([]Migration, error) {
	names, err := fs.Glob(fsys, "[0-9]*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	var all []Migration
	for i, name := range names { // sorted by name
		m := fileName.FindStringSubmatch(name)
		if m == nil {
			return nil, fmt.Errorf("migration %s: name it NNNN_name.sql, in lower case", name)
		}
		version, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		if version != i+1 {
			return nil, fmt.Errorf("migration %s: its number should be %04d, as numbers rise from 0001 without gaps or duplicates", name, i+1)
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // some checkouts convert line ends
		all = append(all, Migration{Version: version, Name: name, SQL: string(text), Checksum: sha256.Sum256(text)})
	}
	if len(all) == 0 {
		return nil, errors.New("the program holds no migrations")
	}
	return all, nil
}

// record is one row of schema_migration.
type record struct {
	Version   int
	Name      string
	Checksum  []byte
	AppliedAt time.Time
}

// readRecords returns what was applied, in order; nothing for a database without the table.
func readRecords(ctx context.Context, tx pgx.Tx) ([]record, error) {
	var exists bool
	if err := tx.QueryRow(ctx, "select to_regclass('schema_migration') is not null").Scan(&exists); err != nil {
		return nil, fmt.Errorf("read the state of the schema: %w", err)
	}
	if !exists {
		return nil, nil
	}
	rows, err := tx.Query(ctx, "select version, name, checksum, applied_at from schema_migration order by version")
	if err != nil {
		return nil, fmt.Errorf("read the state of the schema: %w", err)
	}
	records, err := pgx.CollectRows(rows, pgx.RowToStructByPos[record])
	if err != nil {
		return nil, fmt.Errorf("read the state of the schema: %w", err)
	}
	return records, nil
}

// compare sets what is known against what was applied.
func compare(all []Migration, records []record) []State {
	states := make([]State, 0, max(len(all), len(records)))
	byVersion := map[int]record{}
	for _, r := range records {
		byVersion[r.Version] = r
	}
	for _, m := range all {
		s := State{Version: m.Version, Name: m.Name, Condition: Pending}
		if r, ok := byVersion[m.Version]; ok {
			s.Condition, s.AppliedAt = Applied, r.AppliedAt
			if r.Name != m.Name || !bytes.Equal(r.Checksum, m.Checksum[:]) {
				s.Condition = Changed
			}
		}
		states = append(states, s)
	}
	for _, r := range records {
		if r.Version > len(all) {
			states = append(states, State{Version: r.Version, Name: r.Name, Condition: Unknown, AppliedAt: r.AppliedAt})
		}
	}
	return states
}

// verify refuses a database that this program must not touch.
func verify(states []State) error {
	pending := ""
	for _, s := range states {
		switch {
		case s.Condition == Unknown:
			return fmt.Errorf("the database has the migration %s, which this mcpcensus does not know: the database was upgraded by a newer version, use that or a later one", s.Name)
		case s.Condition == Changed:
			return fmt.Errorf("the migration %s is not the one that was applied to this database on %s: its file was changed afterwards, so the schema is not what this mcpcensus expects; restore the file and put the change into a new migration, or use the mcpcensus that made the database",
				s.Name, s.AppliedAt.UTC().Format(time.DateOnly))
		case s.Condition == Pending && pending == "":
			pending = s.Name
		case s.Condition == Applied && pending != "":
			return fmt.Errorf("the database has the migration %s but lacks %s before it: restore it from a backup or begin with a new one", s.Name, pending)
		}
	}
	return nil
}

func up(ctx context.Context, db DB, all []Migration) (applied []string, err error) {
	for {
		name, err := upOne(ctx, db, all)
		if err != nil || name == "" {
			return applied, err
		}
		applied = append(applied, name)
	}
}

// upOne applies the first pending migration and returns its name, or nothing if none is pending.
func upOne(ctx context.Context, db DB, all []Migration) (name string, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return "", fmt.Errorf("migrate the database: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after the commit
	// The lock is taken before the state is read, so what another program has just applied is seen.
	if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(lockKey)); err != nil {
		return "", fmt.Errorf("wait for other programs that migrate the database: %w", err)
	}
	records, err := readRecords(ctx, tx)
	if err != nil {
		return "", err
	}
	if err := verify(compare(all, records)); err != nil {
		return "", err
	}
	if len(records) == len(all) {
		return "", nil
	}
	next := all[len(records)]
	if err := apply(ctx, tx, next); err != nil {
		return "", err
	}
	if err := tx.Commit(ctx); err != nil {
		return "", fmt.Errorf("migration %s: %w", next.Name, err)
	}
	return next.Name, nil
}

// apply executes one migration and records it.
func apply(ctx context.Context, tx pgx.Tx, m Migration) error {
	if m.Version == 1 {
		if err := execAll(ctx, tx, createTable); err != nil {
			return fmt.Errorf("create the table schema_migration: %w", err)
		}
	}
	if err := execAll(ctx, tx, m.SQL); err != nil {
		return fmt.Errorf("migration %s: %w", m.Name, locate(m.SQL, err))
	}
	if tx.Conn().PgConn().TxStatus() != 'T' {
		return fmt.Errorf("migration %s ends its transaction: remove its COMMIT or ROLLBACK", m.Name)
	}
	const insert = "insert into schema_migration (version, name, checksum) values ($1, $2, $3)"
	if _, err := tx.Exec(ctx, insert, m.Version, m.Name, m.Checksum[:]); err != nil {
		return fmt.Errorf("record the migration %s: %w", m.Name, err)
	}
	return nil
}

// execAll executes a text of many statements, which only the simple protocol takes.
func execAll(ctx context.Context, tx pgx.Tx, text string) error {
	return tx.Conn().PgConn().Exec(ctx, text).Close()
}

// locate adds the line to an error that Postgres found at a position of the text, counted in characters.
func locate(text string, err error) error {
	var found *pgconn.PgError
	if !errors.As(err, &found) || found.Position < 1 {
		return err
	}
	line, at := 1, int32(1)
	for _, r := range text {
		if at == found.Position {
			break
		}
		if r == '\n' {
			line++
		}
		at++
	}
	return fmt.Errorf("line %d: %w", line, err)
}
