package queries

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// InsertBodies stores byte strings; those that are there already cost nothing.
func InsertBodies(ctx context.Context, tx pgx.Tx, bodies []Body) error {
	return bodyTable.copyMissing(ctx, tx, bodies)
}

// InsertEntries stores listing rows as sent; those that are there already cost nothing.
func InsertEntries(ctx context.Context, tx pgx.Tx, entries []Entry) error {
	return entryTable.copyMissing(ctx, tx, entries)
}

// UpsertRows stores memberships of a run; a row that was seen before is replaced by this later sight of it.
// The rows must have distinct keys.
func UpsertRows(ctx context.Context, tx pgx.Tx, rows []Row) error {
	return rowTable.copyOver(ctx, tx, rows)
}

// InsertBadRows stores listing rows without a usable identity.
func InsertBadRows(ctx context.Context, tx pgx.Tx, rows []BadRow) error {
	return badRowTable.copyMissing(ctx, tx, rows)
}

// CopyDeclarations stores the declarations of a run that has none yet.
func CopyDeclarations(ctx context.Context, tx pgx.Tx, declarations []Declaration) error {
	return declarationTable.copy(ctx, tx, declarations)
}

// CopyTargets stores the targets of a run that has none yet.
func CopyTargets(ctx context.Context, tx pgx.Tx, targets []Target) error {
	return targetTable.copy(ctx, tx, targets)
}

// CopyTargetDeclarations stores which declarations stand behind the targets of a run that has none yet.
func CopyTargetDeclarations(ctx context.Context, tx pgx.Tx, links []TargetDeclaration) error {
	return targetDeclarationTable.copy(ctx, tx, links)
}

// CopyExchanges stores the exchanges of a probe that is not there yet; a repeat is an error, so that nothing is doubled.
func CopyExchanges(ctx context.Context, tx pgx.Tx, exchanges []Exchange) error {
	return exchangeTable.copy(ctx, tx, exchanges)
}

// InsertTools stores the projection of tools/list answers; answers that were projected before cost nothing.
func InsertTools(ctx context.Context, tx pgx.Tx, tools []Tool) error {
	return toolTable.copyMissing(ctx, tx, tools)
}

// InsertFindings stores findings; those of known evidence cost nothing.
func InsertFindings(ctx context.Context, tx pgx.Tx, findings []Finding) error {
	return findingTable.copyMissing(ctx, tx, findings)
}

// InsertEvidence stores which evidence the probes of a run show.
func InsertEvidence(ctx context.Context, tx pgx.Tx, evidence []Evidence) error {
	return evidenceTable.copyMissing(ctx, tx, evidence)
}
