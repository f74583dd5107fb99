package conformance

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/schema"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// toolsListResult: every result of tools/list has an array of tools, and a nextCursor that is a string if there is one.
// null counts as none.
func toolsListResult(v *visit, o *outcome) {
	for i := range v.sessions {
		for _, a := range v.of(&v.sessions[i], wire.StepListTools) {
			m, ok := a.result()
			if !ok {
				continue
			}
			result, label := object(m)
			detail := "the result of tools/list is no object of its own"
			if label == "" {
				label, detail = pageFault(result)
			}
			o.unless(a.Seq, label, detail)
		}
	}
	v.noList(o)
}

func pageFault(result wire.Object) (label, detail string) {
	raw, present := result.Get("tools")
	switch kind := wire.KindOf(raw); {
	case !present:
		return "tools_absent", "tools is absent"
	case kind == wire.KindNull:
		return "tools_null", "tools is null"
	case kind != wire.KindArray:
		return "tools_not_array", "tools is " + kindOf(result, "tools")
	}
	raw, present = result.Get("nextCursor")
	if kind := wire.KindOf(raw); present && kind != wire.KindString && kind != wire.KindNull {
		return "cursor_not_text", "nextCursor is " + kindOf(result, "nextCursor")
	}
	return "", ""
}

// entries calls do for every entry of every page of a session, with its number on the page, from 0.
func (v *visit) entries(s *session, do func(a answered, number int, raw json.RawMessage)) {
	for _, a := range v.of(s, wire.StepListTools) {
		m, ok := a.result()
		if !ok {
			continue
		}
		result, label := object(m)
		raw, _ := result.Get("tools")
		entries, err := wire.ReadArray(raw)
		if label != "" || err != nil {
			continue
		}
		for i, entry := range entries {
			do(a, i, entry)
		}
	}
}

// noList says why there are no tools to look at.
func (v *visit) noList(o *outcome) {
	v.noAnswer(o, wire.StepListTools)
	l := classifier.ListOfRecord(v.t)
	switch {
	case l.Answer != classifier.True:
		answer, reason := l.Missing()
		o.none(answer, reason, l.Evidence...)
	default:
		o.none(classifier.NotApplicable, noOccasion, l.Evidence...)
	}
}

// tool names an entry in a detail.
func tool(entry wire.Object, number int) string {
	if name, ok := text(entry, "name"); ok {
		return fmt.Sprintf("tool %q", classifier.FreeLabel(name))
	}
	return fmt.Sprintf("tools[%d]", number)
}

// toolEntry: every tool is an object with a name and an inputSchema of type object.
func toolEntry(v *visit, o *outcome) {
	for i := range v.sessions {
		v.entries(&v.sessions[i], func(a answered, number int, raw json.RawMessage) {
			entry, _, err := wire.ReadObject(raw)
			if err != nil {
				o.breach(a.Seq, "entry_not_object", fmt.Sprintf("tools[%d] is of type %s", number, wire.KindOf(raw)))
				return
			}
			label, detail := entryFault(entry)
			o.unless(a.Seq, label, tool(entry, number)+": "+detail)
		})
	}
	v.noList(o)
}

func entryFault(entry wire.Object) (label, detail string) {
	if !is(entry, "name", wire.KindString) {
		return "name", "name is " + kindOf(entry, "name")
	}
	raw, present := entry.Get("inputSchema")
	input, _, err := wire.ReadObject(raw)
	switch {
	case !present:
		return "input_schema_absent", "inputSchema is absent"
	case err != nil:
		return "input_schema_not_object", "inputSchema is " + kindOf(entry, "inputSchema")
	}
	if kind, _ := text(input, "type"); kind != "object" {
		return "input_schema_type", `inputSchema.type is not "object"`
	}
	if _, present := entry.Get("description"); present && !is(entry, "description", wire.KindString) {
		return "description", "description is " + kindOf(entry, "description")
	}
	return "", ""
}

// outputSchemaRoot: an outputSchema is an object, and up to 2025-11-25 its root is of type object.
func outputSchemaRoot(v *visit, o *outcome) {
	for i := range v.sessions {
		s := &v.sessions[i]
		if !s.known || !s.rules.HasOutputSchema {
			continue
		}
		v.entries(s, func(a answered, number int, raw json.RawMessage) {
			entry, _, err := wire.ReadObject(raw)
			raw, present := entry.Get("outputSchema")
			if err != nil || !present {
				return
			}
			output, _, err := wire.ReadObject(raw)
			kind, _ := text(output, "type")
			label, detail := "", ""
			switch {
			case err != nil:
				label, detail = "not_object", "outputSchema is "+kindOf(entry, "outputSchema")
			case s.rules.OutputSchemaObject && kind != "object":
				label, detail = "root_type", `outputSchema.type is not "object"`
			}
			o.unless(a.Seq, label, tool(entry, number)+": "+detail)
		})
	}
	v.noList(o)
}

func inputSchemaValid(v *visit, o *outcome)  { v.schemas(o, "inputSchema") }
func outputSchemaValid(v *visit, o *outcome) { v.schemas(o, "outputSchema") }

// schemas: the schema of every tool follows its dialect. A member that is no object has a rule of its own.
func (v *visit) schemas(o *outcome, key string) {
	var unjudged []int
	for i := range v.sessions {
		s := &v.sessions[i]
		if key == "outputSchema" && s.known && !s.rules.HasOutputSchema {
			continue
		}
		v.entries(s, func(a answered, number int, raw json.RawMessage) {
			entry, _, err := wire.ReadObject(raw)
			if err != nil || !is(entry, key, wire.KindObject) {
				return
			}
			raw, _ = entry.Get(key)
			verdict, judged := v.verdicts.of(raw, v.dialectStated(s))
			switch {
			case !judged || !verdict.Valid && !verdict.Broken():
				unjudged = append(unjudged, a.Seq)
			case verdict.Broken():
				for _, text := range verdict.Errors {
					o.breach(a.Seq, verdict.Reason, fmt.Sprintf("%s, %s%s", tool(entry, number), key, text))
				}
			default:
				o.keep(a.Seq)
			}
		})
	}
	if len(unjudged) > 0 {
		o.none(classifier.NotSupported, notJudged, slices.Compact(unjudged)...)
	}
	v.noList(o)
}

// dialectStated says whether the revision of a session says which dialect holds without a $schema: 2025-11-25 is the
// first that does. Revisions are dates, so their order is that of their text.
func (v *visit) dialectStated(s *session) bool { return s.known && s.Revision >= "2025-11-25" }

// maxSchemaBytes is how much schema text of one endpoint is judged: a count, so that the findings are the same on every
// machine.
const maxSchemaBytes = 16 << 20

// verdicts keeps the verdict of each schema: both eras list the same tools, and both rules read them.
type verdicts struct {
	known map[string]schema.Verdict
	left  int
}

func newVerdicts() *verdicts {
	return &verdicts{known: map[string]schema.Verdict{}, left: maxSchemaBytes}
}

// of judges a schema; judged is false when the endpoint has had its share. Where the revision states no dialect and the
// schema declares none, it is broken only when it is broken in every dialect.
func (v *verdicts) of(raw json.RawMessage, stated bool) (verdict schema.Verdict, judged bool) {
	key := fmt.Sprintf("%t %s", stated, raw)
	if verdict, judged = v.known[key]; judged {
		return verdict, true
	}
	if v.left -= len(raw); v.left < 0 {
		return schema.Verdict{}, false
	}
	verdict = schema.Check(raw)
	if !stated && !verdict.DialectDeclared && verdict.Broken() {
		for _, dialect := range schema.Dialects() {
			if other := schema.CheckAs(raw, dialect); !other.Broken() {
				verdict = other
				break
			}
		}
	}
	v.known[key] = verdict
	return verdict, true
}

// mcpHeader: the x-mcp-header annotations of a tool keep to their rules. They exist since 2026-07-28, over streamable
// HTTP.
func mcpHeader(v *visit, o *outcome) {
	s := v.modern(o)
	if s == nil {
		return
	}
	if s.Transport != wire.StreamableHTTP {
		o.none(classifier.NotApplicable, otherTransport)
		return
	}
	left := maxSchemaBytes
	v.entries(s, func(a answered, number int, raw json.RawMessage) {
		entry, _, err := wire.ReadObject(raw)
		if err != nil {
			return
		}
		raw, _ = entry.Get("inputSchema")
		if left -= len(raw); left < 0 {
			return
		}
		annotations, faults := schema.CheckHeaders(raw)
		for _, f := range faults {
			o.breach(a.Seq, f.Fault, fmt.Sprintf("%s, inputSchema%s", tool(entry, number), f.Place))
		}
		if annotations > 0 && len(faults) == 0 {
			o.keep(a.Seq)
		}
	})
	v.noList(o)
}
