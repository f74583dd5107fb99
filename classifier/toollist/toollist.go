package toollist

import (
	_ "embed"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

//go:embed def.yml
var definition []byte

// New returns the classifier.
func New() classifier.Classifier { return classifier.MustNew(definition, classify) }

func classify(t *wire.Transcript) []classifier.Finding {
	l := classifier.ListOfRecord(t)
	parseable := classifier.Finding{
		Question: "tool_list.parseable", Answer: l.Answer, Label: l.Label, Reason: l.Reason, Evidence: sorted(l.Evidence),
	}
	if l.Answer == classifier.True {
		parseable.Label, parseable.Evidence = size(l), l.Pages
	}
	return []classifier.Finding{parseable, complete(l), paginated(t, l), entriesValid(l)}
}

// size is the class of the number of tools. A list of which a part is missing has no known total.
func size(l classifier.List) string {
	switch n := len(l.Tools); {
	case !l.Complete:
		return "tools_unknown_total"
	case n == 0:
		return "tools_0"
	case n < 10:
		return "tools_1-9"
	case n < 50:
		return "tools_10-49"
	case n < 200:
		return "tools_50-199"
	}
	return "tools_200+"
}

func complete(l classifier.List) classifier.Finding {
	f, ok := start("tool_list.complete", l)
	switch {
	case !ok:
	case l.Complete:
		f.Answer, f.Label = classifier.True, l.Why
	case l.Why == classifier.WhyCursorNonadvancing:
		f.Answer, f.Reason = classifier.NotAvailable, l.Why
	default:
		f.Answer, f.Label = classifier.False, l.Why
	}
	return f
}

func paginated(t *wire.Transcript, l classifier.List) classifier.Finding {
	f, ok := start("tool_list.paginated", l)
	if !ok {
		return f
	}
	f.Answer, f.Evidence = classifier.False, l.Pages[:1]
	if !hasCursor(t, l.Pages[0]) {
		return f
	}
	f.Answer, f.Evidence = classifier.True, l.Pages
	switch {
	case len(l.Pages) > 1 && (l.Why == classifier.WhyCursorNonadvancing || l.Why == classifier.WhyCursorEmpty):
		f.Label = "nonadvancing"
	case len(l.Pages) > 1:
		f.Label = "advancing"
	default:
		f.Label = "not_followed"
	}
	return f
}

func hasCursor(t *wire.Transcript, seq int) bool {
	a := t.Answer(seq)
	if a.Message == nil {
		return false
	}
	result, _, err := wire.ReadObject(a.Message.Result)
	if err != nil {
		return false
	}
	raw, _ := result.Get("nextCursor")
	_, ok := wire.ReadString(raw)
	return ok
}

func entriesValid(l classifier.List) classifier.Finding {
	f, ok := start("tool_list.entries_valid", l)
	if !ok {
		return f
	}
	f.Answer = classifier.True
	switch {
	case len(l.Tools)+l.Malformed == 0:
		f.Answer, f.Reason = classifier.NotApplicable, "no_tools"
	case l.Malformed > 0:
		f.Answer, f.Label = classifier.False, "entry_malformed"
	case l.Repeated > 0:
		f.Answer, f.Label = classifier.False, "name_repeated"
	case slices.ContainsFunc(l.Tools, func(t classifier.Tool) bool { return !t.WellFormed }):
		f.Answer, f.Label = classifier.False, "tool_malformed"
	}
	return f
}

// start returns the finding of a question about the list; not ok when there is none, with the reason.
func start(question string, l classifier.List) (f classifier.Finding, ok bool) {
	f = classifier.Finding{Question: question, Evidence: sorted(l.Evidence)}
	if l.Answer == classifier.True {
		return f, true
	}
	f.Answer, f.Reason = l.Missing()
	return f, false
}

func sorted(seqs []int) []int {
	out := slices.Clone(seqs)
	slices.Sort(out)
	return slices.Compact(out)
}
