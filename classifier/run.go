package classifier

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Run classifies the transcript and returns the findings sorted by question and tool. A classifier that panics, or
// whose findings contradict its definition, gives the answer error to each of its questions instead: our fault, which
// leaves the denominators and stays visible. For a question about tools that is one finding with Tool 0, however many
// tools there are; an estimate counts it as one unit without a verdict.
//
// A transcript with a Fault and without exchanges gives the answer error to each question about the endpoint, and as it
// shows no tool, nothing to those about tools.
func Run(c Classifier, t *wire.Transcript) []Finding {
	if ownFault(t) {
		return faulted(c)
	}
	findings, reason := classify(c, t)
	if reason == "" && Check(c, t, findings) != nil {
		reason = Inconsistent
	}
	if reason != "" {
		findings = nil
		for _, q := range c.Questions {
			findings = append(findings, Finding{Question: q.ID, Answer: Error, Reason: reason})
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Tool, b.Tool))
	})
	return findings
}

// ownFault says whether nothing was tried because of a fault of ours.
func ownFault(t *wire.Transcript) bool { return t.Fault != "" && len(t.Exchanges) == 0 }

func faulted(c Classifier) []Finding {
	var findings []Finding
	for _, q := range c.Questions {
		if q.Unit == UnitEndpoint {
			findings = append(findings, Finding{Question: q.ID, Answer: Error, Reason: OwnFault})
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Question, b.Question) })
	return findings
}

func classify(c Classifier, t *wire.Transcript) (findings []Finding, reason string) {
	defer func() {
		if recover() != nil {
			findings, reason = nil, Panicked
		}
	}()
	return c.Classify(t), ""
}

// Check compares findings with the definition: exactly one for each question about the endpoint and for each tool of
// the list of record, words from the closed lists only, and evidence that exists. It returns the first contradiction.
func Check(c Classifier, t *wire.Transcript, findings []Finding) error {
	byQuestion := map[string][]Finding{}
	for _, f := range findings {
		byQuestion[f.Question] = append(byQuestion[f.Question], f)
	}
	var tools []Tool
	if slices.ContainsFunc(c.Questions, func(q Question) bool { return q.Unit == UnitTool }) {
		tools = ListOfRecord(t).Tools
	}
	for _, q := range c.Questions {
		got := byQuestion[q.ID]
		delete(byQuestion, q.ID)
		if err := checkUnits(q, got, tools); err != nil {
			return err
		}
		for _, f := range got {
			if err := checkFinding(q, t, f); err != nil {
				return err
			}
		}
	}
	for id := range byQuestion {
		return fmt.Errorf("finding for the unknown question %q", id)
	}
	return nil
}

func checkUnits(q Question, got []Finding, tools []Tool) error {
	if q.Unit == UnitEndpoint {
		if len(got) != 1 || got[0].Tool != 0 || got[0].ToolName != "" {
			return fmt.Errorf("question %q about the endpoint needs exactly one finding without a tool, has %d", q.ID, len(got))
		}
		return nil
	}
	if len(got) != len(tools) {
		return fmt.Errorf("question %q has %d findings for %d tools", q.ID, len(got), len(tools))
	}
	got = slices.SortedFunc(slices.Values(got), func(a, b Finding) int { return cmp.Compare(a.Tool, b.Tool) })
	for i, f := range got {
		if f.Tool != tools[i].Position || f.ToolName != tools[i].Name {
			return fmt.Errorf("question %q: finding %d is for tool %d, not for tool %d", q.ID, i+1, f.Tool, tools[i].Position)
		}
	}
	return nil
}

func checkFinding(q Question, t *wire.Transcript, f Finding) error {
	switch f.Answer {
	case True, False:
		if f.Reason != "" {
			return fmt.Errorf("question %q: the answer %s has a reason", q.ID, f.Answer)
		}
	case NotApplicable, NotAvailable, NotSupported, Error:
		if !slices.Contains(q.Reasons, f.Reason) && !slices.Contains(missingReasons, f.Reason) {
			return fmt.Errorf("question %q: the reason %q is not in the list", q.ID, f.Reason)
		}
	default:
		return fmt.Errorf("question %q: unknown answer %q", q.ID, f.Answer)
	}
	if f.Label != "" && len(q.Labels) > 0 && !slices.Contains(q.Labels, f.Label) {
		return fmt.Errorf("question %q: the label %q is not in the list", q.ID, f.Label)
	}
	if !utf8.ValidString(f.Label) || !utf8.ValidString(f.ToolName) {
		return fmt.Errorf("question %q: text that is not UTF-8", q.ID)
	}
	for i, seq := range f.Evidence {
		if t.Exchange(seq) == nil || i > 0 && seq <= f.Evidence[i-1] {
			return fmt.Errorf("question %q: evidence %v does not name exchanges in order", q.ID, f.Evidence)
		}
	}
	return nil
}
