package check

import (
	"cmp"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/conformance"
	"github.com/mcpcensus/mcpcensus/classifier/redact"
	"github.com/mcpcensus/mcpcensus/classifier/suite"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"      // a session and its list of tools were seen, and nothing is broken
	Broken  Verdict = "broken"  // a MUST, or a schema, is broken
	Unknown Verdict = "unknown" // nothing is broken in what was seen, and too little was
)

// Result is what is known of a server after one visit. The order of the members is that of the JSON form.
type Result struct {
	URL     string  `json:"url"` // as visited, secrets hidden
	Verdict Verdict `json:"verdict"`
	// Why is a word that says why the verdict is unknown, such as "auth_required": one of the reasons of the classifiers,
	// or "list_incomplete".
	Why       string     `json:"why,omitempty"`
	Server    Server     `json:"server"`
	Findings  []Finding  `json:"findings"`
	Broken    []Rule     `json:"broken"`
	Exchanges []Exchange `json:"exchanges"`
}

// Server is what the server says of itself, and how it answers.
type Server struct {
	Name    string `json:"name"`    // empty when it gives none
	Version string `json:"version"` // empty when it gives none
	Eras    []Era  `json:"eras"`    // modern first
	Tools   Tools  `json:"tools"`
}

// Era is what came of asking for one era.
type Era struct {
	Era       wire.Era          `json:"era"`
	Spoken    classifier.Answer `json:"spoken"` // true, false or not_available
	Revision  string            `json:"revision,omitempty"`
	Transport wire.Transport    `json:"transport,omitempty"`
	Says      string            `json:"says"` // how the handshake went: a label or a reason of the classifier era
	// UnknownTool is the mechanism that answers the call of a tool that does not exist; empty when none was seen.
	UnknownTool       string `json:"unknown_tool,omitempty"`
	UnknownToolStatus int    `json:"unknown_tool_status,omitempty"` // HTTP status of that answer
	UnknownToolWhy    string `json:"unknown_tool_why,omitempty"`    // why no mechanism was seen
}

// Tools is the list of record.
type Tools struct {
	Listed           classifier.Answer `json:"listed"`         // true; otherwise why there is no list stands in Says
	Says             string            `json:"says,omitempty"` // label or reason
	Count            int               `json:"count"`          // distinct tools
	Malformed        int               `json:"malformed"`      // entries that are no tool
	Pages            int               `json:"pages"`          // pages read
	Complete         bool              `json:"complete"`       // the server said that there is no more
	Ends             string            `json:"ends,omitempty"` // why the list ends where it does, if that is odd
	WithOutputSchema int               `json:"with_output_schema"`
}

// Finding is a finding about the endpoint. Findings about single tools are left out: the list of tools says it shorter.
type Finding struct {
	Question string            `json:"question"`
	Answer   classifier.Answer `json:"answer"`
	Label    string            `json:"label,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Evidence []int             `json:"evidence"` // numbers of exchanges
}

// Rule is a rule that is broken.
type Rule struct {
	Rule   string  `json:"rule"`   // id of the question
	Asks   string  `json:"asks"`   // the question, whose answer is no
	Source string  `json:"source"` // where the rule stands
	Total  int     `json:"total"`  // places where it is broken
	Places []Place `json:"places"` // the first of them
}

// Place is where a rule is broken.
type Place struct {
	Label    string `json:"label"`
	Detail   string `json:"detail"`
	Exchange int    `json:"exchange"`
}

// Exchange is one request of the visit, so that numbers of exchanges can be followed.
type Exchange struct {
	Seq       int            `json:"seq"`
	Era       wire.Era       `json:"era"`
	Transport wire.Transport `json:"transport"`
	Step      wire.Step      `json:"step"`
	Page      int            `json:"page,omitempty"`
	Method    string         `json:"method"`
	URL       string         `json:"url"` // secrets hidden
	Status    int            `json:"status,omitempty"`
	Failure   wire.Failure   `json:"failure,omitempty"`
}

// Of returns the result of a visit to the URL.
func Of(url string, t *wire.Transcript) Result {
	r := Result{URL: redact.URL(url), Findings: []Finding{}, Broken: []Rule{}, Exchanges: []Exchange{}}
	fault := ""
	for _, c := range suite.All() {
		for _, f := range classifier.Run(c, t) {
			if f.Answer == classifier.Error && fault == "" {
				fault = f.Reason
			}
			if f.Tool == 0 {
				r.Findings = append(r.Findings, Finding{f.Question, f.Answer, f.Label, f.Reason, append([]int{}, f.Evidence...)})
			}
		}
	}
	for _, b := range conformance.Broken(t) {
		rule := Rule{Rule: b.Question, Asks: b.Asks, Source: b.Source, Total: b.Total}
		for _, place := range b.Breaches {
			rule.Places = append(rule.Places, Place{place.Label, place.Detail, place.Exchange})
		}
		r.Broken = append(r.Broken, rule)
	}
	for i := range t.Exchanges {
		e := &t.Exchanges[i]
		r.Exchanges = append(r.Exchanges, Exchange{e.Seq, e.Era, e.Transport, e.Step, e.Page, e.Method, redact.URL(e.URL), e.Status, e.Failure})
	}
	list := classifier.ListOfRecord(t)
	r.Server = r.serverOf(t, list)
	r.Why = cmp.Or(fault, missing(t, list))
	switch {
	case len(r.Broken) > 0:
		r.Verdict, r.Why = Broken, ""
	case r.Why != "":
		r.Verdict = Unknown
	default:
		r.Verdict = OK
	}
	return r
}

// missing says why too little was seen to call a server good: no session, or no complete list where tools are declared.
func missing(t *wire.Transcript, list classifier.List) string {
	if answer, reason, _ := classifier.Completed(t); answer != classifier.True {
		if answer != classifier.NotAvailable {
			return classifier.NoHandshake
		}
		return reason
	}
	switch {
	case list.Answer == classifier.NotApplicable:
		return "" // a server without tools
	case list.Answer != classifier.True:
		_, reason := list.Missing()
		return reason
	case list.Why == classifier.WhyPageFailed || list.Why == classifier.WhyProbeEnded:
		return "list_incomplete"
	}
	return ""
}

func (r *Result) serverOf(t *wire.Transcript, list classifier.List) Server {
	s := Server{Tools: toolsOf(list)}
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		h := classifier.ReadHandshake(t, era)
		e := Era{Era: era, Spoken: h.Answer, Says: cmp.Or(h.Label, h.Reason)}
		if h.Answer == classifier.True {
			e.Revision, e.Transport = classifier.FreeLabel(h.Revision), h.Transport
			if name, version := identity(h); s.Name == "" && s.Version == "" {
				s.Name, s.Version = name, version
			}
			r.mechanism(t, &e)
		}
		s.Eras = append(s.Eras, e)
	}
	return s
}

// mechanism fills in what the classifier unknown_tool found for an era.
func (r *Result) mechanism(t *wire.Transcript, e *Era) {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Question == "unknown_tool.tool_error."+string(e.Era) })
	if i < 0 {
		return
	}
	f := r.Findings[i]
	if f.Answer != classifier.True && f.Answer != classifier.False {
		e.UnknownToolWhy = f.Reason
		return
	}
	e.UnknownTool = f.Label
	if len(f.Evidence) > 0 {
		e.UnknownToolStatus = t.Exchange(f.Evidence[len(f.Evidence)-1]).Status
	}
}

// identity reads serverInfo, which stands in the result (legacy) or in its _meta (modern).
func identity(h classifier.Handshake) (name, version string) {
	raw, _ := h.Result.Get("serverInfo")
	if h.Era == wire.Modern {
		raw, _ = h.Result.Get("_meta")
		meta, _, err := wire.ReadObject(raw)
		if err != nil {
			return "", ""
		}
		raw, _ = meta.Get("io.modelcontextprotocol/serverInfo")
	}
	info, _, err := wire.ReadObject(raw)
	if err != nil {
		return "", ""
	}
	raw, _ = info.Get("name")
	name, _ = wire.ReadString(raw)
	raw, _ = info.Get("version")
	version, _ = wire.ReadString(raw)
	return classifier.FreeLabel(name), classifier.FreeLabel(version)
}

func toolsOf(list classifier.List) Tools {
	answer, says := list.Answer, cmp.Or(list.Label, list.Reason)
	tools := Tools{
		Listed: answer, Says: says, Count: len(list.Tools), Malformed: list.Malformed, Pages: len(list.Pages),
		Complete: list.Complete, Ends: list.Why,
	}
	for _, tool := range list.Tools {
		if raw, ok := tool.Object.Get("outputSchema"); ok && wire.KindOf(raw) != wire.KindNull {
			tools.WithOutputSchema++
		}
	}
	return tools
}
