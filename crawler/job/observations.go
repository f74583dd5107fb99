package job

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/crawler/world"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Observations reads what a run of a simulated world counted and found, to be compared with its truth.
func Observations(ctx context.Context, pool *pgxpool.Pool, run string) (world.RowCounts, []world.Observed, error) {
	q := queries.New(pool)
	rows, err := q.CountRows(ctx, run)
	if err != nil {
		return world.RowCounts{}, nil, fmt.Errorf("count the rows: %w", err)
	}
	counts := world.RowCounts{
		Rows: int(rows.Rows), Names: int(rows.Names), Latest: int(rows.Latest), Deleted: int(rows.Deleted), Deprecated: int(rows.Deprecated),
	}
	findings, err := q.FindingsOfRun(ctx, run)
	if err != nil {
		return counts, nil, fmt.Errorf("read the findings: %w", err)
	}
	observed := make([]world.Observed, len(findings))
	for i, f := range findings {
		observed[i] = world.Observed{
			URL:     f.Key,
			Finding: world.Finding{Question: f.Question, Tool: f.ToolName, Answer: f.Answer, Label: f.Label},
		}
	}
	return counts, observed, nil
}
