package conformance

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

// Breach is one place where a rule is broken.
type Breach struct {
	Label    string // one of the labels of the question
	Exchange int    // Seq of the exchange that shows it
	// Detail says what was seen. It may hold text from the wire, cut but not escaped.
	Detail string
}

// Rule is a broken rule.
type Rule struct {
	Question string // id of the question
	Asks     string // the question
	Source   string // where the rule stands
	Total    int    // places where it is broken
	Breaches []Breach
}

// maxBreaches is how many places of one rule are told.
const maxBreaches = 10

// Broken returns the rules that the endpoint breaks, in the order of def.yml, each with the first places.
func Broken(t *wire.Transcript) []Rule {
	asked := New().Questions
	var broken []Rule
	v := newVisit(t)
	for _, r := range rules {
		o := v.judge(r)
		if len(o.breaches) == 0 {
			continue
		}
		q := asked[slices.IndexFunc(asked, func(q classifier.Question) bool { return q.ID == r.id })]
		broken = append(broken, Rule{
			Question: q.ID, Asks: q.Question, Source: q.Source, Total: len(o.breaches),
			Breaches: o.breaches[:min(len(o.breaches), maxBreaches)],
		})
	}
	return broken
}

func classify(t *wire.Transcript) []classifier.Finding {
	v := newVisit(t)
	var findings []classifier.Finding
	for _, r := range rules {
		findings = append(findings, v.judge(r).finding(r.id))
	}
	return findings
}

// rule is one question. seen looks at the transcript and notes into the outcome what it shows.
type rule struct {
	id   string
	seen func(*visit, *outcome)
}

// rules are in the order of def.yml.
var rules = []rule{
	{"conformance.jsonrpc_message", jsonrpcMessage},
	{"conformance.id_echo", idEcho},
	{"conformance.error_object", errorObject},
	{"conformance.json_text", jsonText},
	{"conformance.initialize_result", initializeResult},
	{"conformance.discover_result", discoverResult},
	{"conformance.tools_list_result", toolsListResult},
	{"conformance.tool_entry", toolEntry},
	{"conformance.output_schema_root", outputSchemaRoot},
	{"conformance.input_schema_valid", inputSchemaValid},
	{"conformance.output_schema_valid", outputSchemaValid},
	{"conformance.mcp_header", mcpHeader},
	{"conformance.result_type", resultType},
	{"conformance.cache_fields", cacheFields},
	{"conformance.error_status", errorStatus},
	{"conformance.reserved_codes", reservedCodes},
	{"conformance.call_result", callResult},
	{"conformance.structured_content", structuredContent},
	{"conformance.notification", notification},
	{"conformance.content_type", contentType},
	{"conformance.session_id", sessionID},
}

// outcome is what came of one rule.
type outcome struct {
	kept     []int // exchanges that show it kept
	breaches []Breach
	label    string // of a rule that is kept, where it has one
	// Of a rule that nothing shows: why.
	answer   classifier.Answer
	reason   string
	evidence []int
}

func (o *outcome) keep(seq int) { o.kept = append(o.kept, seq) }

func (o *outcome) breach(seq int, label, detail string) {
	o.breaches = append(o.breaches, Breach{Label: label, Exchange: seq, Detail: cut(detail)})
}

// unless notes a breach when there is a label, and otherwise that the rule was kept.
func (o *outcome) unless(seq int, label, detail string) {
	if label == "" {
		o.keep(seq)
		return
	}
	o.breach(seq, label, detail)
}

// none says why nothing shows the rule, unless something did or was said before.
func (o *outcome) none(answer classifier.Answer, reason string, evidence ...int) {
	if o.answer == "" {
		o.answer, o.reason, o.evidence = answer, reason, evidence
	}
}

func (v *visit) judge(r rule) *outcome {
	o := &outcome{}
	r.seen(v, o)
	o.none(classifier.NotApplicable, noOccasion)
	return o
}

func (o *outcome) finding(question string) classifier.Finding {
	f := classifier.Finding{Question: question}
	switch {
	case len(o.breaches) > 0:
		f.Answer, f.Label = classifier.False, o.breaches[0].Label
		for _, b := range o.breaches {
			f.Evidence = append(f.Evidence, b.Exchange)
		}
	case len(o.kept) > 0:
		f.Answer, f.Label, f.Evidence = classifier.True, o.label, o.kept
	default:
		f.Answer, f.Reason, f.Evidence = o.answer, o.reason, slices.Clone(o.evidence)
	}
	slices.Sort(f.Evidence)
	f.Evidence = slices.Compact(f.Evidence)
	return f
}

// cut shortens a detail.
func cut(text string) string {
	const most = 300
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
