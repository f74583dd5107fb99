package classifier

import (
	"encoding/json"
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Handshake is what came of asking for one era over one transport.
type Handshake struct {
	Era       wire.Era
	Transport wire.Transport
	Seq       int    // the exchange that decides; 0 when the era was never asked
	Answer    Answer // True, False or NotAvailable
	Label     string // True: one of the deviations, or LabelConforming; False: what was answered instead
	Reason    string // NotAvailable: a shared reason
	Asked     bool
	// ServerError: the answer came with a status of 500 or above, which never decides an era.
	ServerError bool

	// The following are set for True.
	Revision string      // the revision that both sides use from here on, as sent
	Offered  string      // the revision that the census offered
	Result   wire.Object // the InitializeResult or DiscoverResult
}

// Labels of handshakes, beside those of a response that is no JSON-RPC answer.
const (
	LabelConforming           = "conforming"
	LabelServerInfoMissing    = "serverinfo_missing"    // completed, legacy: no serverInfo object
	LabelServerInfoIncomplete = "serverinfo_incomplete" // completed, legacy: serverInfo without a name or a version
	LabelMessageFlawed        = "message_flawed"        // completed by a message with a wrong id, or doubled or variant keys
	LabelJSONRPCError         = "jsonrpc_error"
	LabelUnsupportedVersion   = "unsupported_version" // modern: error -32022
	LabelDiscoverOnLegacy     = "discover_on_legacy"  // modern: a DiscoverResult without a modern revision
	LabelNestedEnvelope       = "nested_envelope"     // the result is a JSON-RPC message again
	LabelInvalidResult        = "invalid_result"      // the result lacks what makes it an answer to the handshake
)

// codeUnsupportedVersion is UnsupportedProtocolVersion of revision 2026-07-28.
const codeUnsupportedVersion = -32022

// ReadHandshake returns what came of asking for the era: the completed handshake if there is one, over streamable HTTP
// rather than HTTP+SSE; otherwise a wall; otherwise a failure over a transport that is declared; otherwise what was
// answered instead. A transport that is not declared was only tried as a way out, so that its failure says nothing.
func ReadHandshake(t *wire.Transcript, era wire.Era) Handshake {
	all := handshakes(t, era)
	tests := []func(Handshake) bool{
		func(h Handshake) bool { return h.Answer == True },
		func(h Handshake) bool { return h.Answer == NotAvailable && isWall(h.Reason) },
		func(h Handshake) bool { return h.Answer == NotAvailable && declared(t, all, h.Transport) },
		func(h Handshake) bool { return declared(t, all, h.Transport) },
	}
	for _, test := range tests {
		if i := slices.IndexFunc(all, test); i >= 0 {
			return all[i]
		}
	}
	h := Handshake{Era: era, Answer: NotAvailable, Reason: EndReason(t)}
	if outcome := t.Outcome(); outcome != wire.OutcomeAnswered && outcome != wire.OutcomeNothingSent {
		h.Reason = outcome
	}
	for i := range t.Exchanges {
		switch e := &t.Exchanges[i]; e.Step {
		case wire.StepDiscover, wire.StepInitialize, wire.StepOpenStream:
			if r := ReadReply(t, e); isWall(r.Missing) {
				h.Reason, h.Seq = r.Missing, r.Seq // the wall kept the probe from asking
				return h
			}
		}
	}
	return h
}

// declared says whether the transport counts as declared: it is, or nothing that is was tried.
func declared(t *wire.Transcript, tried []Handshake, transport wire.Transport) bool {
	if slices.Contains(t.Declared, transport) {
		return true
	}
	return !slices.ContainsFunc(tried, func(h Handshake) bool { return slices.Contains(t.Declared, h.Transport) })
}

// isWall says whether a reason means that somebody answered and kept the server back.
func isWall(reason string) bool {
	switch reason {
	case AuthRequired, PaymentRequired, Forbidden, ProxyAuthRequired, RateLimited, Unavailable, GatewayError, EdgeBlock:
		return true
	}
	return false
}

// handshakes returns one handshake for each transport over which the era was asked, streamable HTTP first.
func handshakes(t *wire.Transcript, era wire.Era) []Handshake {
	step := wire.StepInitialize
	if era == wire.Modern {
		step = wire.StepDiscover
	}
	var out []Handshake
	for _, transport := range []wire.Transport{wire.StreamableHTTP, wire.HTTPSSE, wire.Stdio} {
		tries := exchanges(t, era, transport, step)
		if len(tries) == 0 && era == wire.Legacy && transport == wire.HTTPSSE {
			tries = exchanges(t, era, transport, wire.StepOpenStream) // the stream itself was refused
		}
		if len(tries) == 0 {
			continue
		}
		// A later try replaces an earlier one: a retry, the next hop of a redirect, a session begun again.
		h := readHandshake(t, tries[len(tries)-1])
		for i := len(tries) - 2; i >= 0 && h.Answer != True; i-- {
			if earlier := readHandshake(t, tries[i]); earlier.Answer == True {
				h = earlier
			}
		}
		out = append(out, h)
	}
	return out
}

// exchanges returns the exchanges of a step in the order sent.
func exchanges(t *wire.Transcript, era wire.Era, transport wire.Transport, step wire.Step) []*wire.Exchange {
	var out []*wire.Exchange
	for i := range t.Exchanges {
		if e := &t.Exchanges[i]; e.Era == era && e.Transport == transport && e.Step == step {
			out = append(out, e)
		}
	}
	return out
}

func readHandshake(t *wire.Transcript, e *wire.Exchange) Handshake {
	h := Handshake{Era: e.Era, Transport: e.Transport, Seq: e.Seq, Asked: true, Answer: False}
	r := ReadReply(t, e)
	h.ServerError = r.Status >= 500
	switch {
	case r.Missing != "":
		h.Answer, h.Reason = NotAvailable, r.Missing
	case r.Message == nil:
		h.Label = r.Label
	case r.Message.Type == wire.TypeError:
		h.Label = LabelJSONRPCError
		if e.Era == wire.Modern && r.Message.Error.CodeIsInt && r.Message.Error.CodeInt == codeUnsupportedVersion {
			h.Label = LabelUnsupportedVersion
		}
	case slices.Contains(r.Message.Flaws, wire.NestedEnvelope):
		h.Label = LabelNestedEnvelope
	case e.Transport != wire.Stdio && (r.Status < 200 || r.Status >= 300):
		h.Label = labelOf(r.Status, wire.FramingJSONObject)
	default:
		h.readResult(r)
		h.Offered = offered(e)
	}
	return h
}

// readResult judges the result of a handshake.
func (h *Handshake) readResult(r Reply) {
	h.Label = LabelInvalidResult
	result, flaws, err := wire.ReadObject(r.Message.Result)
	if err != nil {
		return
	}
	h.Result = result
	if h.Era == wire.Modern {
		h.readDiscover()
	} else {
		h.readInitialize()
	}
	flawed := len(r.Message.Flaws) > 0 || len(flaws) > 0 || r.IDMatch != wire.IDExact
	if h.Answer == True && h.Label == LabelConforming && flawed {
		h.Label = LabelMessageFlawed
	}
}

// readInitialize labels the deviations of a completed handshake.
func (h *Handshake) readInitialize() {
	revision, complete := wire.ReadInitialize(h.Result)
	if !complete {
		return
	}
	h.Answer, h.Label, h.Revision = True, LabelConforming, revision
	raw, _ := h.Result.Get("serverInfo")
	info, _, err := wire.ReadObject(raw)
	if err != nil {
		h.Label = LabelServerInfoMissing
		return
	}
	for _, key := range []string{"name", "version"} {
		raw, _ := info.Get(key)
		if _, ok := wire.ReadString(raw); !ok {
			h.Label = LabelServerInfoIncomplete
		}
	}
}

// readDiscover asks for a DiscoverResult that names a modern revision: a legacy server may well answer, with legacy
// revisions only.
func (h *Handshake) readDiscover() {
	revision, valid := wire.ReadDiscover(h.Result)
	switch {
	case revision != "":
		h.Answer, h.Label, h.Revision = True, LabelConforming, revision
	case valid:
		h.Label = LabelDiscoverOnLegacy
	}
}

// HasTools says whether the server declared the capability tools.
func (h Handshake) HasTools() bool {
	raw, _ := h.Result.Get("capabilities")
	capabilities, _, err := wire.ReadObject(raw)
	if err != nil {
		return false
	}
	tools, _ := capabilities.Get("tools")
	return wire.KindOf(tools) == wire.KindObject
}

// offered returns the revision that the request of a handshake offered, or nothing.
func offered(e *wire.Exchange) string {
	value := json.RawMessage(e.RequestBody)
	path := []string{"params", "protocolVersion"}
	if e.Era == wire.Modern {
		path = []string{"params", "_meta", "io.modelcontextprotocol/protocolVersion"}
	}
	for _, key := range path {
		o, _, err := wire.ReadObject(value)
		if err != nil {
			return ""
		}
		value, _ = o.Get(key)
	}
	text, _ := wire.ReadString(value)
	return text
}
