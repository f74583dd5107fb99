package outputschema

import (
	_ "embed"
	"regexp"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

//go:embed def.yml
var definition []byte

// New returns the classifier.
func New() classifier.Classifier { return classifier.MustNew(definition, classify) }

// The reasons of def.yml.
const (
	revisionWithout = "revision_without_output_schema" // the session cannot declare one
	revisionUnknown = "revision_unknown"               // the revision of the session is no date: what it has is not known
	notAWriteTool   = "not_a_write_tool"
	noTools         = "no_tools"
	listIncomplete  = "list_incomplete"
)

func classify(t *wire.Transcript) []classifier.Finding {
	l := classifier.ListOfRecord(t)
	outside, reason := beyondRevision(l)
	var out []classifier.Finding
	declared := 0
	for _, tool := range l.Tools {
		f := classifier.Finding{Tool: tool.Position, ToolName: tool.Name, Answer: outside, Reason: reason, Evidence: []int{tool.Seq}}
		if outside == "" {
			f = readSchema(f, tool)
		}
		if f.Answer == classifier.True {
			declared++
		}
		out = append(out, restricted(f, tool)...)
	}
	return append(out, anyDeclared(l, outside, reason, declared))
}

// beyondRevision returns the answer for every tool of a session whose revision has no outputSchema, or nothing.
func beyondRevision(l classifier.List) (classifier.Answer, string) {
	if l.Answer != classifier.True {
		return "", ""
	}
	r, known := wire.FindRevision(l.Revision)
	switch {
	case known && r.HasOutputSchema, wire.IsModern(l.Revision):
		return "", ""
	case known, isDate(l.Revision) && l.Revision < firstWithOutputSchema():
		return classifier.NotApplicable, revisionWithout
	case isDate(l.Revision):
		return "", "" // a date after the first revision that has it
	}
	return classifier.NotSupported, revisionUnknown
}

var dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func isDate(revision string) bool { return dateForm.MatchString(revision) }

func firstWithOutputSchema() string {
	all := wire.Revisions()
	i := slices.IndexFunc(all, func(r wire.Revision) bool { return r.HasOutputSchema })
	return all[i].Name
}

// readSchema answers whether the tool declares a schema, and of which kind.
func readSchema(f classifier.Finding, tool classifier.Tool) classifier.Finding {
	if tool.Object.Duplicated("outputSchema") {
		f.Answer, f.Reason = classifier.NotSupported, classifier.DuplicateKey
		return f
	}
	raw, present := tool.Object.Get("outputSchema")
	f.Answer = classifier.False
	switch {
	case !present:
		f.Label = "absent"
	case wire.KindOf(raw) == wire.KindNull:
		f.Label = "null_value"
	default:
		f.Answer, f.Label = classifier.True, kindOfSchema(raw)
	}
	return f
}

// silentKeywords say nothing of the output by themselves.
var silentKeywords = []string{
	"type", "$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
	"properties", "required", "additionalProperties",
}

func kindOfSchema(raw []byte) string {
	schema, _, err := wire.ReadObject(raw)
	if err != nil {
		return "not_object"
	}
	value, typed := schema.Get("type")
	kind, _ := wire.ReadString(value)
	object := kind == "object"
	switch {
	case (object || !typed) && trivial(schema):
		return "trivial"
	case object:
		return "object_root"
	}
	return "other_root"
}

// trivial says whether the schema only says, at most, that the output is an object.
func trivial(schema wire.Object) bool {
	for _, key := range schema.Keys() {
		if !slices.Contains(silentKeywords, key) {
			return false
		}
	}
	for _, key := range []string{"properties", "additionalProperties"} {
		raw, _ := schema.Get(key)
		if o, _, err := wire.ReadObject(raw); err == nil && o.Len() > 0 {
			return false
		}
	}
	raw, _ := schema.Get("required")
	list, err := wire.ReadArray(raw)
	return err != nil || len(list) == 0
}

// restricted repeats the finding for each way to tell write tools.
func restricted(f classifier.Finding, tool classifier.Tool) []classifier.Finding {
	w := classifier.ReadWrites(tool)
	out := []classifier.Finding{f}
	out[0].Question = "output_schema.declared"
	for _, r := range []struct {
		question string
		writes   bool
	}{
		{"output_schema.declared_write_annotated", w.Annotated},
		{"output_schema.declared_write_verb", w.Verb != ""},
		{"output_schema.declared_write_default", w.Default},
	} {
		g := f
		switch {
		case f.Answer == classifier.NotApplicable:
		case w.Ambiguous:
			g.Answer, g.Label, g.Reason = classifier.NotSupported, "", classifier.DuplicateKey
		case !r.writes:
			g.Answer, g.Label, g.Reason = classifier.NotApplicable, "", notAWriteTool
		}
		g.Question = r.question
		out = append(out, g)
	}
	return out
}

// anyDeclared is the question about the endpoint. A list of which a part is missing can show a declaration, but not the
// absence of one.
func anyDeclared(l classifier.List, outside classifier.Answer, reason string, declared int) classifier.Finding {
	f := classifier.Finding{Question: "output_schema.any", Evidence: slices.Compact(slices.Sorted(slices.Values(l.Evidence)))}
	switch {
	case l.Answer != classifier.True:
		f.Answer, f.Reason = l.Missing()
	case outside != "":
		f.Answer, f.Reason = outside, reason
	case declared > 0 && declared == len(l.Tools) && l.Complete:
		f.Answer, f.Label = classifier.True, "all_tools"
	case declared > 0:
		f.Answer, f.Label = classifier.True, "some_tools"
	case !l.Complete:
		f.Answer, f.Reason = classifier.NotAvailable, listIncomplete
	case len(l.Tools) == 0:
		f.Answer, f.Reason = classifier.NotApplicable, noTools
	default:
		f.Answer, f.Label = classifier.False, "no_tool"
	}
	return f
}
