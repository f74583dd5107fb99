package job

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/queries"
)

// A tool that jsonb cannot hold is stored without its definition, and keeps no other one out.
func TestToolsThatJSONBCannotHold(t *testing.T) {
	t.Parallel()
	descriptions := []string{`plain`, `\ud83d\ude00 written with escapes`, `a \\u0000 that is only a backslash`, `\u0000`, `\ud83d alone`}
	held := []bool{true, true, true, false, false, false}
	var rows []queries.Tool
	for i, d := range descriptions {
		rows = append(rows, toolRow(make([]byte, 32), i+1, fmt.Appendf(nil, `{"name":"n%d","description":"%s"}`, i, d)))
	}
	rows = append(rows, toolRow(make([]byte, 32), len(rows)+1, fmt.Appendf(nil, `{"name":"huge","n":%s}`, strings.Repeat("9", 140_000))))
	pool := newPool(t)
	w := &classifyWorker{process: &process{Options: options(t, pool)}}
	if err := w.project(context.Background(), rows); err != nil {
		t.Fatal(err)
	}
	for i, want := range held {
		var got, explained bool
		err := pool.QueryRow(context.Background(), `select definition is not null, projection_error is not null from tool where position = $1`, i+1).Scan(&got, &explained)
		if err != nil || got != want || explained == want {
			t.Errorf("tool %d: definition held %v, explained %v, want held %v (%v)", i+1, got, explained, want, err)
		}
	}
}
