// Package queries holds the only SQL outside migrations: the queries of the program (*.sql, with the code that sqlc
// generates beside them), the bulk writers (COPY, through a staging table where repeats must be harmless), the pool, and
// in package embedded the private Postgres server that serves when no database URL is given.
//
// Questions that people ask of the data are in analysis/*.sql.
package queries
