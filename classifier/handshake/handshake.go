package handshake

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
	return []classifier.Finding{reachable(t), completed(t)}
}

func completed(t *wire.Transcript) classifier.Finding {
	f := classifier.Finding{Question: "handshake.completed"}
	f.Answer, f.Reason, f.Evidence = classifier.Completed(t)
	// The label is that of the handshake behind the answer; of two, that of the legacy era, which most servers speak.
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		h := classifier.ReadHandshake(t, era)
		if h.Asked && h.Answer == f.Answer && f.Reason == "" {
			f.Label = h.Label
			break
		}
	}
	return f
}

// remote are the failures that say something of the endpoint. The others say that the census did not ask, or could not.
var remote = []wire.Failure{
	wire.ResolveNotFound, wire.ConnectRefused, wire.ConnectTimeout, wire.ConnectUnreached, wire.ConnectFailed,
	wire.TLSCertificate, wire.TLSHandshake, wire.TLSTimeout, wire.HTTPTimeoutHeader, wire.HTTPReset, wire.HTTPMalformed,
	wire.HTTPHeaderTooBig,
}

func reachable(t *wire.Transcript) classifier.Finding {
	f := classifier.Finding{Question: "handshake.reachable", Answer: classifier.NotAvailable, Reason: classifier.EndReason(t)}
	for i := range t.Exchanges {
		e := &t.Exchanges[i]
		switch e.Step {
		case wire.StepDiscover, wire.StepInitialize, wire.StepOpenStream:
		default:
			continue
		}
		r := classifier.ReadReply(t, e)
		switch {
		case e.Status != 0 && r.Missing != classifier.EdgeBlock:
			return classifier.Finding{Question: f.Question, Answer: classifier.True, Evidence: []int{e.Seq}}
		case e.Status != 0:
			// The intermediary answered and the server was not asked, whatever else failed.
			f.Answer, f.Label, f.Reason, f.Evidence = classifier.NotAvailable, "", classifier.EdgeBlock, []int{e.Seq}
		case f.Reason == classifier.EdgeBlock || len(f.Evidence) > 0:
		case slices.Contains(remote, e.Failure):
			f.Answer, f.Label, f.Reason, f.Evidence = classifier.False, string(e.Failure), "", []int{e.Seq}
		default:
			f.Reason, f.Evidence = r.Missing, []int{e.Seq}
		}
	}
	return f
}
