package world

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The answers of a finding, as the classifiers spell them.
const (
	yes           = "true"
	no            = "false"
	notApplicable = "not_applicable"
	notAvailable  = "not_available"
)

func answer(b bool) string {
	if b {
		return yes
	}
	return no
}

// findings is everything that is true of the endpoint.
func (e *Endpoint) findings() []Finding {
	all := slices.Concat(e.handshake(), e.unknownTool(), e.listQuestions())
	for _, t := range e.tools {
		all = append(all, t.findings(e.declaresOutput())...)
	}
	return all
}

// speaks says whether the endpoint completes the handshake of an era.
func (e *Endpoint) speaks(era wire.Era) bool {
	return e.kind.fate == shakesHands && len(e.revisionsOf(era)) > 0
}

func (e *Endpoint) revisionsOf(era wire.Era) []string {
	var of []string
	for _, name := range e.server.Revisions {
		if r, known := wire.FindRevision(name); known && r.Era == era {
			of = append(of, name)
		}
	}
	return of
}

// legacyRevision is what an initialize settles on that offers the newest legacy revision.
func (e *Endpoint) legacyRevision() string {
	own := e.revisionsOf(wire.Legacy)
	if slices.Contains(own, wire.OfferLegacy) {
		return wire.OfferLegacy
	}
	return own[0]
}

// revision is that of the newest era.
func (e *Endpoint) revision() string {
	if e.speaks(wire.Modern) {
		return wire.OfferModern
	}
	return e.legacyRevision()
}

func (e *Endpoint) handshake() []Finding {
	reachable := Finding{Question: "handshake.reachable", Answer: answer(e.kind.failure == ""), Label: string(e.kind.failure)}
	switch e.kind.fate {
	case keptBack:
		return append([]Finding{reachable}, same(notAvailable, "handshake.completed", "era.modern", "era.legacy", "era.class",
			"era.revision", "era.legacy_revision", "era.transport")...)
	case answersElse:
		return append([]Finding{reachable, {Question: "era.class", Answer: no, Label: "none"}, {Question: "era.legacy_revision", Answer: notApplicable}},
			append(same(no, "handshake.completed", "era.modern", "era.legacy"), same(notAvailable, "era.revision", "era.transport")...)...)
	}
	modern, legacy := e.speaks(wire.Modern), e.speaks(wire.Legacy)
	class := "legacy"
	switch {
	case modern && legacy:
		class = "dual"
	case modern:
		class = "modern"
	}
	settled := Finding{Question: "era.legacy_revision", Answer: notApplicable}
	if legacy {
		settled.Answer, settled.Label = answer(e.legacyRevision() == wire.OfferLegacy), e.legacyRevision()
	}
	return []Finding{
		reachable,
		{Question: "handshake.completed", Answer: yes},
		{Question: "era.modern", Answer: answer(modern)},
		{Question: "era.legacy", Answer: answer(legacy)},
		{Question: "era.class", Answer: yes, Label: class},
		{Question: "era.revision", Answer: yes, Label: e.revision()},
		settled,
		{Question: "era.transport", Answer: yes, Label: string(e.Type)},
	}
}

// same gives each question the same answer, without a label.
func same(answer string, questions ...string) []Finding {
	var all []Finding
	for _, q := range questions {
		all = append(all, Finding{Question: q, Answer: answer})
	}
	return all
}

// mechanism is how the endpoint answers an unknown tool in an era.
func (e *Endpoint) mechanism(era wire.Era) probertest.Mechanism {
	if era == wire.Modern && e.server.ModernUnknownTool != nil {
		return *e.server.ModernUnknownTool
	}
	return e.server.UnknownTool
}

func (e *Endpoint) unknownTool() []Finding {
	questions := []string{"unknown_tool.tool_error", "unknown_tool.protocol_error", "unknown_tool.http_status"}
	var all []Finding
	newest := wire.Legacy
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		question := "unknown_tool.tool_error." + string(era)
		m := e.mechanism(era)
		switch {
		case e.kind.fate == keptBack:
			all = append(all, Finding{Question: question, Answer: notAvailable})
			continue
		case !e.speaks(era):
			all = append(all, Finding{Question: question, Answer: notApplicable})
			continue
		case !m.Observable():
			all = append(all, Finding{Question: question, Answer: notAvailable})
		default:
			all = append(all, Finding{Question: question, Answer: answer(isToolError(m)), Label: m.Class})
		}
		newest = era
	}
	m := e.mechanism(newest)
	if e.kind.fate != shakesHands || !m.Observable() {
		return append(all, same(notAvailable, questions...)...)
	}
	status := Finding{Question: questions[2], Answer: answer(m.HTTPStatus()/100 == 2), Label: strconv.Itoa(m.HTTPStatus())}
	if e.Type != wire.StreamableHTTP {
		status.Answer, status.Label = notApplicable, ""
	}
	return append(all,
		Finding{Question: questions[0], Answer: answer(isToolError(m)), Label: m.Class},
		Finding{Question: questions[1], Answer: answer(strings.HasPrefix(m.Class, "protocol_")), Label: m.Class},
		status)
}

func isToolError(m probertest.Mechanism) bool { return strings.HasPrefix(m.Class, "tool_error") }

// declaresOutput says whether the revision in use has outputSchema.
func (e *Endpoint) declaresOutput() bool {
	r, _ := wire.FindRevision(e.revision())
	return r.HasOutputSchema
}

func (e *Endpoint) listQuestions() []Finding {
	parseable, declared := Finding{Question: "tool_list.parseable"}, Finding{Question: "output_schema.any"}
	with := 0
	for _, t := range e.tools {
		if t.output {
			with++
		}
	}
	switch {
	case e.kind.fate != shakesHands:
		parseable.Answer, declared.Answer = notAvailable, notAvailable
	case e.kind.noList != "":
		parseable.Answer, parseable.Label, declared.Answer = no, e.kind.noList, notAvailable
	case len(e.tools) == 0:
		parseable.Answer, parseable.Label, declared.Answer = yes, "tools_0", notApplicable
	default:
		parseable.Answer, parseable.Label = yes, "tools_1-9"
		declared.Answer, declared.Label = answer(with > 0), "no_tool"
		switch {
		case !e.declaresOutput():
			declared.Answer, declared.Label = notApplicable, ""
		case with == len(e.tools) && !e.kind.endless:
			declared.Label = "all_tools"
		case with > 0:
			declared.Label = "some_tools"
		case e.kind.endless: // a part of the list may be unknown
			declared.Answer, declared.Label = notAvailable, ""
		}
		if e.kind.endless {
			parseable.Label = "tools_unknown_total"
		}
	}
	return []Finding{parseable, declared}
}

// findings of one tool; inSession says whether the revision in use has outputSchema.
func (t tool) findings(inSession bool) []Finding {
	hint := "absent"
	if t.readOnly != nil {
		hint = strconv.FormatBool(*t.readOnly)
	}
	annotated, byDefault := hint == "false", hint != "true"
	byVerb := t.writes && t.readOnly == nil
	verb := Finding{Question: "write_tool.verb", Tool: t.name, Answer: answer(byVerb)}
	switch {
	case t.readOnly != nil:
		verb.Answer = notApplicable
	case byVerb:
		verb.Label, _, _ = strings.Cut(t.name, "_")
	}
	return []Finding{
		{Question: "write_tool.annotated", Tool: t.name, Answer: answer(annotated), Label: hint},
		{Question: "write_tool.default", Tool: t.name, Answer: answer(byDefault), Label: hint},
		verb,
		t.declares("output_schema.declared", inSession, true),
		t.declares("output_schema.declared_write_annotated", inSession, annotated),
		t.declares("output_schema.declared_write_verb", inSession, byVerb),
		t.declares("output_schema.declared_write_default", inSession, byDefault),
	}
}

// declares answers a question about the outputSchema of the tool.
func (t tool) declares(question string, inSession, asked bool) Finding {
	f := Finding{Question: question, Tool: t.name, Answer: answer(t.output), Label: "absent"}
	switch {
	case !inSession || !asked:
		f.Answer, f.Label = notApplicable, ""
	case t.output:
		f.Label = "object_root"
	}
	return f
}
