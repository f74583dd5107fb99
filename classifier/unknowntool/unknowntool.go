package unknowntool

import (
	_ "embed"
	"slices"
	"strconv"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

//go:embed def.yml
var definition []byte

// New returns the classifier.
func New() classifier.Classifier { return classifier.MustNew(definition, classify) }

// The reasons of def.yml.
const (
	sessionLost  = "session_lost"
	eraNotSpoken = "era_not_spoken"
	serverError  = "server_error"

	otherTransport = "other_transport"
)

// observation is what one era showed.
type observation struct {
	answer    classifier.Answer // True when a mechanism was observed, otherwise the answer of every question
	reason    string
	spoken    bool // a handshake was completed
	asked     bool // and the call was sent
	transport wire.Transport
	mechanism string
	status    int
	toolError bool
	protocol  bool
	evidence  []int
}

func (o observation) observed() bool { return o.answer == classifier.True }

func classify(t *wire.Transcript) []classifier.Finding {
	modern, legacy := observe(t, wire.Modern), observe(t, wire.Legacy)
	o := newest(t, modern, legacy)
	return []classifier.Finding{
		o.finding("unknown_tool.tool_error", o.toolError, o.mechanism),
		modern.finding("unknown_tool.tool_error.modern", modern.toolError, modern.mechanism),
		legacy.finding("unknown_tool.tool_error.legacy", legacy.toolError, legacy.mechanism),
		o.finding("unknown_tool.protocol_error", o.protocol, o.mechanism),
		o.httpStatus(),
	}
}

// httpStatus is about streamable HTTP only: over HTTP+SSE every request is accepted before it is looked at.
func (o observation) httpStatus() classifier.Finding {
	f := o.finding("unknown_tool.http_status", 200 <= o.status && o.status < 300, strconv.Itoa(o.status))
	if o.observed() && o.transport != wire.StreamableHTTP {
		f.Answer, f.Label, f.Reason = classifier.NotApplicable, "", otherTransport
	}
	return f
}

func (o observation) finding(question string, yes bool, label string) classifier.Finding {
	f := classifier.Finding{Question: question, Answer: o.answer, Reason: o.reason, Evidence: o.evidence}
	if o.observed() {
		f.Label = label
		if !yes {
			f.Answer = classifier.False
		}
	}
	return f
}

// newest returns the newest era with a mechanism; without one, the newest that was asked, then the newest with a
// handshake, which say why there is none; without a handshake, what kept it away.
func newest(t *wire.Transcript, modern, legacy observation) observation {
	for _, test := range []func(observation) bool{
		observation.observed,
		func(o observation) bool { return o.asked },
		func(o observation) bool { return o.spoken },
	} {
		for _, o := range []observation{modern, legacy} {
			if test(o) {
				return o
			}
		}
	}
	answer, reason, evidence := classifier.Completed(t)
	if answer != classifier.NotAvailable {
		reason = classifier.NoHandshake
	}
	return observation{answer: classifier.NotAvailable, reason: reason, evidence: evidence}
}

// observe reads the call of an era. It counts only after a completed handshake.
func observe(t *wire.Transcript, era wire.Era) observation {
	h := classifier.ReadHandshake(t, era)
	if h.Answer != classifier.True {
		return unspoken(h)
	}
	call := lastCall(t, h)
	if call == nil {
		return observation{
			answer: classifier.NotAvailable, reason: classifier.EndReason(t), spoken: true, evidence: []int{h.Seq},
		}
	}
	r := classifier.ReadReply(t, call)
	o := observation{answer: classifier.True, spoken: true, asked: true, transport: h.Transport, status: call.Status, evidence: []int{call.Seq}}
	switch {
	case r.Missing != "":
		o.answer, o.reason = classifier.NotAvailable, r.Missing
	case lostSession(call, r):
		o.answer, o.reason = classifier.NotAvailable, sessionLost
	case r.Message == nil:
		o.mechanism = noMessage(call.Status)
	case r.Message.Type == wire.TypeError:
		o.protocol, o.mechanism = true, errorMechanism(r.Message.Error, h.Revision)
	default:
		o.readResult(r.Message, era)
	}
	return o
}

// unspoken is the observation of an era without a handshake.
func unspoken(h classifier.Handshake) observation {
	o := observation{answer: classifier.NotApplicable, reason: eraNotSpoken}
	switch {
	case h.Answer == classifier.NotAvailable:
		o.answer, o.reason = classifier.NotAvailable, h.Reason
	case h.ServerError:
		o.answer, o.reason = classifier.NotAvailable, serverError
	}
	if h.Seq != 0 {
		o.evidence = []int{h.Seq}
	}
	return o
}

// lastCall returns the last try of the call in the session of the handshake.
func lastCall(t *wire.Transcript, h classifier.Handshake) *wire.Exchange {
	for i := range slices.Backward(t.Exchanges) {
		if e := &t.Exchanges[i]; e.Step == wire.StepUnknownTool && e.Era == h.Era && e.Transport == h.Transport {
			return e
		}
	}
	return nil
}

// lostSession says whether a legacy server answered that it does not know the session: 404, with no JSON-RPC error but
// one of the codes to which no meaning may be given.
func lostSession(e *wire.Exchange, r classifier.Reply) bool {
	if e.Era != wire.Legacy || e.Status != 404 {
		return false
	}
	return r.Message == nil || r.Message.Type == wire.TypeError && r.Message.Error.Band("") == wire.BandLegacyImpl
}

// noMessage is the mechanism of a response that holds no JSON-RPC answer.
func noMessage(status int) string {
	if class := status / 100; 2 <= class && class <= 5 {
		return "http_" + strconv.Itoa(class) + "xx_no_rpc"
	}
	return "http_other_no_rpc"
}

func errorMechanism(e *wire.RPCError, revision string) string {
	switch e.Band(revision) {
	case wire.BandStd:
		return "protocol_" + strconv.FormatInt(e.CodeInt, 10)
	case wire.BandLegacyImpl:
		return "protocol_legacy_impl"
	case wire.BandMCPDefined:
		return "protocol_mcp_defined"
	case wire.BandMCPReservedUndefined:
		return "protocol_reserved_undefined"
	case wire.BandOtherReserved:
		return "protocol_other_reserved"
	case wire.BandApp:
		return "protocol_app"
	}
	return "protocol_code_not_integer"
}
