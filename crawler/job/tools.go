package job

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// toolRows projects every answer to tools/list in a transcript, whichever list counts: the projection is for ad hoc
// queries, verdicts read the transcript.
func toolRows(t *wire.Transcript) []queries.Tool {
	var rows []queries.Tool
	for i := range t.Exchanges {
		if t.Exchanges[i].Step != wire.StepListTools {
			continue
		}
		m := t.Answer(t.Exchanges[i].Seq).Message
		if m == nil || m.Result == nil {
			continue
		}
		result, _, err := wire.ReadObject(m.Result)
		if err != nil {
			continue
		}
		tools, _ := result.Get("tools")
		list, err := wire.ReadArray(tools)
		if err != nil {
			continue
		}
		sum := sha256.Sum256(m.Raw)
		for n, raw := range list {
			rows = append(rows, toolRow(sum[:], n+1, raw))
		}
	}
	return rows
}

func toolRow(answer []byte, position int, raw json.RawMessage) queries.Tool {
	row := queries.Tool{AnswerSha256: answer, Position: int32(position)}
	o, _, err := wire.ReadObject(raw)
	switch {
	case err != nil:
		reason := err.Error()
		row.ProjectionError = &reason
		return row
	case jsonb(raw):
		row.Definition = raw
	default:
		reason := "jsonb cannot hold it"
		row.ProjectionError = &reason
	}
	name, _ := o.Get("name")
	if s, ok := wire.ReadString(name); ok {
		row.Name = text(s)
		if row.Name != s {
			row.NameBytes = []byte(s)
		}
	}
	description, _ := o.Get("description")
	if s, ok := wire.ReadString(description); ok {
		s = text(s)
		row.Description = &s
	}
	schema, present := o.Get("outputSchema")
	row.HasOutputSchema = present && wire.KindOf(schema) != wire.KindNull
	if annotations, present := o.Get("annotations"); present {
		if hints, _, err := wire.ReadObject(annotations); err == nil {
			row.ReadOnlyHint = hint(hints, "readOnlyHint")
			row.DestructiveHint = hint(hints, "destructiveHint")
			row.IdempotentHint = hint(hints, "idempotentHint")
			row.OpenWorldHint = hint(hints, "openWorldHint")
		}
	}
	return row
}

func hint(o wire.Object, key string) *bool {
	raw, _ := o.Get(key)
	if wire.KindOf(raw) != wire.KindBool {
		return nil
	}
	value := string(raw) == "true"
	return &value
}

// jsonb reports whether a value may be offered to Postgres as jsonb: valid JSON in valid UTF-8. What its jsonb cannot hold
// all the same (escaped NULs, lone surrogates, huge numbers) the database says itself; see classifyWorker.project.
func jsonb(raw json.RawMessage) bool { return json.Valid(raw) && text(string(raw)) == string(raw) }
