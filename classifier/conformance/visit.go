package conformance

import (
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The reasons of def.yml.
const (
	noOccasion      = "no_occasion"      // nothing was asked or answered that could show it
	eraNotSpoken    = "era_not_spoken"   // the rule belongs to an era that the endpoint does not speak
	serverError     = "server_error"     // the era is unknown: the handshake was answered by a status of 500 or above
	otherTransport  = "other_transport"  // the rule belongs to streamable HTTP
	revisionUnknown = "revision_unknown" // the session uses a revision whose rules are not known here
	notJudged       = "not_judged"       // every schema was out of reach: another dialect, external references, too large
)

// visit is a transcript with what the rules need of it again and again.
type visit struct {
	t        *wire.Transcript
	answers  []answered
	sessions []session
	verdicts *verdicts
}

// answered is an exchange with its answer.
type answered struct {
	*wire.Exchange
	wire.Answer
}

// session is a completed handshake.
type session struct {
	classifier.Handshake
	rules wire.Revision // of its revision
	known bool          // the revision is one whose rules are known here
}

func newVisit(t *wire.Transcript) *visit {
	v := &visit{t: t, verdicts: newVerdicts()}
	for i := range t.Exchanges {
		switch e := &t.Exchanges[i]; e.Step {
		case wire.StepDelete, wire.StepServerReply:
		default:
			v.answers = append(v.answers, answered{e, t.Answer(e.Seq)})
		}
	}
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		if h := classifier.ReadHandshake(t, era); h.Answer == classifier.True {
			s := session{Handshake: h}
			s.rules, s.known = wire.FindRevision(h.Revision)
			v.sessions = append(v.sessions, s)
		}
	}
	return v
}

// session returns the session that an exchange belongs to, or nil.
func (v *visit) session(a answered) *session {
	for i := range v.sessions {
		if s := &v.sessions[i]; s.Era == a.Era && s.Transport == a.Transport && s.Seq <= a.Seq {
			return s
		}
	}
	return nil
}

// of returns the exchanges of a session with one of the steps.
func (v *visit) of(s *session, steps ...wire.Step) []answered {
	var list []answered
	for _, a := range v.answers {
		if v.session(a) == s && slices.Contains(steps, a.Step) {
			list = append(list, a)
		}
	}
	return list
}

// modern returns the session of the modern era if its revision is a known one, having said why there is none.
func (v *visit) modern(o *outcome) *session {
	for i := range v.sessions {
		if s := &v.sessions[i]; s.Era == wire.Modern {
			if !s.known {
				o.none(classifier.NotSupported, revisionUnknown, s.Seq)
				return nil
			}
			return s
		}
	}
	v.noEra(o, wire.Modern)
	return nil
}

// noEra says why there is no session of the era.
func (v *visit) noEra(o *outcome, era wire.Era) {
	h := classifier.ReadHandshake(v.t, era)
	var evidence []int
	if h.Seq != 0 {
		evidence = []int{h.Seq}
	}
	switch {
	case h.Answer == classifier.NotAvailable:
		o.none(classifier.NotAvailable, h.Reason, evidence...)
	case h.ServerError:
		o.none(classifier.NotAvailable, serverError, evidence...)
	default:
		o.none(classifier.NotApplicable, eraNotSpoken, evidence...)
	}
}

// anySession says why there is no session at all. It is for rules of every era.
func (v *visit) anySession(o *outcome) bool {
	if len(v.sessions) > 0 {
		return true
	}
	answer, reason, evidence := classifier.Completed(v.t)
	if answer != classifier.NotAvailable {
		reason = classifier.NoHandshake
	}
	o.none(classifier.NotAvailable, reason, evidence...)
	return false
}

// noAnswer says why a step of the sessions has no answer to judge: what kept it away.
func (v *visit) noAnswer(o *outcome, steps ...wire.Step) {
	if !v.anySession(o) {
		return
	}
	for i := range v.sessions {
		s := &v.sessions[i]
		asked := v.of(s, steps...)
		if len(asked) == 0 {
			continue
		}
		last := asked[len(asked)-1]
		if r := classifier.ReadReply(v.t, last.Exchange); r.Missing != "" {
			o.none(classifier.NotAvailable, r.Missing, last.Seq)
		}
	}
	if reason := classifier.EndReason(v.t); reason != classifier.NotAsked {
		o.none(classifier.NotAvailable, reason)
	}
}

// result returns the result that answers an exchange: a message with status 2xx that is a result.
func (a answered) result() (*wire.Message, bool) {
	if a.Message == nil || a.Message.Type != wire.TypeResult || !a.succeeded() {
		return nil, false
	}
	return a.Message, true
}

// failed returns the JSON-RPC error that answers an exchange, whatever the status.
func (a answered) failed() *wire.RPCError {
	if a.Message == nil || a.Message.Type != wire.TypeError {
		return nil
	}
	return a.Message.Error
}

func (a answered) succeeded() bool { return 200 <= a.Status && a.Status < 300 }

// has says whether a flaw was found in the message, or, where there is no message, in the content. Flaws of the content
// around a message are left aside: the evidence hash does not cover them.
func (a answered) has(flaw wire.Flaw) bool {
	if a.Message != nil {
		return slices.Contains(a.Message.Flaws, flaw)
	}
	return slices.Contains(a.Flaws, flaw)
}

// object reads the result as an object. The label says why it is none.
func object(m *wire.Message) (wire.Object, string) {
	if slices.Contains(m.Flaws, wire.NestedEnvelope) {
		return wire.Object{}, nestedEnvelope
	}
	o, _, err := wire.ReadObject(m.Result)
	if err != nil {
		return wire.Object{}, resultNotObject
	}
	return o, ""
}

// Labels that several rules share.
const (
	nestedEnvelope  = "nested_envelope"
	resultNotObject = "result_not_object"
)

// kindOf names the JSON type of a member for a detail.
func kindOf(o wire.Object, key string) string {
	raw, present := o.Get(key)
	if !present {
		return "absent"
	}
	return "of type " + string(wire.KindOf(raw))
}

// text returns a member that is a string.
func text(o wire.Object, key string) (string, bool) {
	raw, _ := o.Get(key)
	return wire.ReadString(raw)
}

// is says whether a member is of that type.
func is(o wire.Object, key string, kind wire.Kind) bool {
	raw, _ := o.Get(key)
	return wire.KindOf(raw) == kind
}
