package testdb

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// keptTemplates is how many templates stay: those of a few checkouts.
const keptTemplates = 8

// templateLock is the advisory lock under which templates are built and removed. The lock of a test database is the
// hash of its name.
const templateLock = "mcpcensus template"

// scope returns what the names of this group of test databases have in common. Advisory locks are those of the database
// that one is connected to, so tests that reach the same server by way of different ones must leave each other alone.
func scope(ctx context.Context, admin *pgx.Conn) (string, error) {
	var oid uint32
	if err := admin.QueryRow(ctx, "select oid from pg_database where datname = current_database()").Scan(&oid); err != nil {
		return "", fmt.Errorf("look at the test server: %w", err)
	}
	return fmt.Sprintf("mcpcensus_%d", oid), nil
}

// create makes a database from a template, which it builds first where it is missing, and returns its name. The lock on
// the name, which the connection keeps, says that somebody uses it.
func create(ctx context.Context, admin *pgx.Conn, template Template, server string) (name string, err error) {
	scope, err := scope(ctx, admin)
	if err != nil {
		return "", err
	}
	name = scope + "_test_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "select pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		return "", fmt.Errorf("reserve a test database: %w", err)
	}
	if err := sweep(ctx, admin, scope); err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(template.Key))
	source := scope + "_template_" + hex.EncodeToString(hash[:8])
	for {
		_, err := admin.Exec(ctx, "create database "+name+" template "+source)
		var failed *pgconn.PgError
		if !errors.As(err, &failed) || failed.Code != "3D000" { // 3D000: no such template
			if err != nil {
				return "", fmt.Errorf("create a test database: %w", err)
			}
			return name, nil
		}
		if err := build(ctx, admin, scope, source, template, server); err != nil {
			return "", fmt.Errorf("build the template of the test databases: %w", err)
		}
	}
}

// build makes a template under another name first, so that one whose building was killed is never used.
func build(ctx context.Context, admin *pgx.Conn, scope, source string, template Template, server string) (err error) {
	if _, err := admin.Exec(ctx, "select pg_advisory_lock(hashtextextended($1, 0))", templateLock); err != nil {
		return err
	}
	defer func() {
		const unlock = "select pg_advisory_unlock(hashtextextended($1, 0))"
		_, failed := admin.Exec(context.WithoutCancel(ctx), unlock, templateLock)
		err = errors.Join(err, failed)
	}()
	var exists bool
	if err := admin.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", source).Scan(&exists); err != nil || exists {
		return err // another test was faster
	}
	unfinished := source + "_unfinished"
	for _, statement := range []string{
		"drop database if exists " + unfinished + " with (force)",
		"create database " + unfinished + " template template0 encoding 'UTF8' locale 'C'",
	} {
		if _, err := admin.Exec(ctx, statement); err != nil {
			return err
		}
	}
	conn, err := pgx.Connect(ctx, within(server, unfinished))
	if err != nil {
		return err
	}
	err = template.Build(ctx, conn)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	// Nobody may be connected to a template while it is copied.
	if _, err := admin.Exec(ctx, "alter database "+unfinished+" allow_connections false"); err != nil {
		return err
	}
	if _, err := admin.Exec(ctx, "alter database "+unfinished+" rename to "+source); err != nil {
		return err
	}
	return dropAll(ctx, admin, "^"+scope+"_template_[0-9a-f]+$", keptTemplates)
}

// sweep drops the databases of tests that were killed: those whose name nobody has locked.
func sweep(ctx context.Context, admin *pgx.Conn, scope string) error {
	return dropAll(ctx, admin, "^"+scope+"_test_[a-z0-9]+$", 0)
}

// dropAll drops the databases whose name matches a pattern and is not locked, but for the newest, as many as are kept.
func dropAll(ctx context.Context, admin *pgx.Conn, pattern string, keep int) error {
	rows, err := admin.Query(ctx, "select datname from pg_database where datname ~ $1 order by oid desc offset $2", pattern, keep)
	if err != nil {
		return fmt.Errorf("list the test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list the test databases: %w", err)
	}
	for _, name := range names {
		var free bool
		if err := admin.QueryRow(ctx, "select pg_try_advisory_lock(hashtextextended($1, 0))", name).Scan(&free); err != nil {
			return fmt.Errorf("lock a test database: %w", err)
		}
		if !free {
			continue
		}
		if err := drop(ctx, admin, name); err != nil {
			return err
		}
	}
	return nil
}

// drop drops a database, whoever is connected to it, and gives up the lock on its name.
func drop(ctx context.Context, admin *pgx.Conn, name string) error {
	_, err := admin.Exec(ctx, "drop database if exists "+name+" with (force)")
	_, failed := admin.Exec(ctx, "select pg_advisory_unlock(hashtextextended($1, 0))", name)
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("drop a test database: %w", err)
	}
	return nil
}
