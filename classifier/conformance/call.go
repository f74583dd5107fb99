package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// callResult: the result of a call has content, an array of blocks, unless the call is not finished.
func callResult(v *visit, o *outcome) {
	for i := range v.sessions {
		s := &v.sessions[i]
		for _, a := range v.of(s, wire.StepUnknownTool, wire.StepCall) {
			m, ok := a.result()
			if !ok {
				continue
			}
			result, label := object(m)
			if label != "" {
				o.breach(a.Seq, label, "the result of tools/call is no object of its own")
				continue
			}
			if unfinished(result, s.Era) {
				continue
			}
			label, detail := callFault(result)
			o.unless(a.Seq, label, detail)
		}
	}
	v.noAnswer(o, wire.StepUnknownTool)
}

// unfinished recognises results of a call that are no CallToolResult: InputRequiredResult and what extensions define
// (modern), CreateTaskResult of 2025-11-25 (legacy).
func unfinished(result wire.Object, era wire.Era) bool {
	if era == wire.Modern {
		kind, ok := text(result, "resultType")
		return ok && kind != "complete"
	}
	_, hasContent := result.Get("content")
	return !hasContent && is(result, "task", wire.KindObject)
}

func callFault(result wire.Object) (label, detail string) {
	raw, present := result.Get("content")
	blocks, err := wire.ReadArray(raw)
	switch {
	case !present:
		return "content_absent", "content is absent"
	case err != nil:
		return "content_not_array", "content is " + kindOf(result, "content")
	}
	if _, present := result.Get("isError"); present && !is(result, "isError", wire.KindBool) {
		return "is_error_type", "isError is " + kindOf(result, "isError")
	}
	for i, raw := range blocks {
		block, _, err := wire.ReadObject(raw)
		kind, typed := text(block, "type")
		_, hasText := text(block, "text")
		if err != nil || !typed || kind == "text" && !hasText {
			return "content_block", fmt.Sprintf("content[%d] is no content block", i)
		}
	}
	return "", ""
}

// structuredContent: a tool with an outputSchema gives structuredContent unless its result is an error, and up to
// 2025-11-25 structuredContent is an object. Whether it follows the schema is not judged here.
func structuredContent(v *visit, o *outcome) {
	for i := range v.sessions {
		s := &v.sessions[i]
		if s.known && !s.rules.HasOutputSchema {
			continue
		}
		declared := v.withOutputSchema(s)
		for _, a := range v.of(s, wire.StepCall) {
			m, ok := a.result()
			if !ok {
				continue
			}
			result, fault := object(m)
			flag, _ := result.Get("isError")
			isError, _ := wire.ReadBool(flag)
			if fault != "" || isError || unfinished(result, s.Era) {
				continue
			}
			_, present := result.Get("structuredContent")
			switch {
			case !present && declared[calledTool(a)]:
				o.breach(a.Seq, "structured_absent", "the tool has an outputSchema and its result no structuredContent")
			case present && s.known && s.rules.OutputSchemaObject && !is(result, "structuredContent", wire.KindObject):
				o.breach(a.Seq, "structured_not_object", "structuredContent is "+kindOf(result, "structuredContent"))
			case present:
				o.keep(a.Seq)
			}
		}
	}
	v.anySession(o)
	o.none(classifier.NotApplicable, noOccasion)
}

// withOutputSchema returns the names of the tools of a session that declare an outputSchema.
func (v *visit) withOutputSchema(s *session) map[string]bool {
	names := map[string]bool{}
	v.entries(s, func(_ answered, _ int, raw json.RawMessage) {
		entry, _, err := wire.ReadObject(raw)
		name, ok := text(entry, "name")
		if err == nil && ok && is(entry, "outputSchema", wire.KindObject) {
			names[name] = true
		}
	})
	return names
}

// calledTool returns the name in a request of tools/call.
func calledTool(a answered) string {
	request, _, err := wire.ReadObject(a.RequestBody)
	if err != nil {
		return ""
	}
	raw, _ := request.Get("params")
	params, _, err := wire.ReadObject(raw)
	if err != nil {
		return ""
	}
	name, _ := text(params, "name")
	return name
}
