package writetool

import (
	_ "embed"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

//go:embed def.yml
var definition []byte

// New returns the classifier.
func New() classifier.Classifier { return classifier.MustNew(definition, classify) }

func classify(t *wire.Transcript) []classifier.Finding {
	l := classifier.ListOfRecord(t)
	var out []classifier.Finding
	for _, tool := range l.Tools {
		w := classifier.ReadWrites(tool)
		annotated, byDefault, verb := answer(w.Annotated, w.Hint), answer(w.Default, w.Hint), answer(w.Verb != "", w.Verb)
		if w.Hint == "true" || w.Hint == "false" {
			verb = classifier.Finding{Answer: classifier.NotApplicable, Reason: "hint_is_boolean"}
		}
		if w.Ambiguous {
			annotated = classifier.Finding{Answer: classifier.NotSupported, Reason: classifier.DuplicateKey}
			byDefault, verb = annotated, annotated
		}
		annotated.Question, byDefault.Question, verb.Question = "write_tool.annotated", "write_tool.default", "write_tool.verb"
		for _, f := range []classifier.Finding{annotated, byDefault, verb} {
			f.Tool, f.ToolName, f.Evidence = tool.Position, tool.Name, []int{tool.Seq}
			out = append(out, f)
		}
	}
	return out
}

func answer(yes bool, label string) classifier.Finding {
	if yes {
		return classifier.Finding{Answer: classifier.True, Label: label}
	}
	return classifier.Finding{Answer: classifier.False, Label: label}
}
