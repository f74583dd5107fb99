package era

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

// The reasons of def.yml.
const (
	serverError  = "server_error"   // a status of 500 or above, which never decides an era
	eraNotSpoken = "era_not_spoken" // the endpoint does not speak the legacy era
	noneDeclared = "none_declared"  // the registry declares no transport
)

// verdict is the answer to "is this era spoken?".
type verdict struct {
	classifier.Handshake
	evidence []int
}

func classify(t *wire.Transcript) []classifier.Finding {
	modern, legacy := read(t, wire.Modern), read(t, wire.Legacy)
	return []classifier.Finding{
		modern.finding("era.modern"), legacy.finding("era.legacy"),
		class(modern, legacy), revision(modern, legacy), legacyRevision(legacy), transport(t, modern, legacy),
	}
}

func read(t *wire.Transcript, era wire.Era) verdict {
	v := verdict{Handshake: classifier.ReadHandshake(t, era)}
	if v.Seq != 0 {
		v.evidence = []int{v.Seq}
	}
	if v.Answer == classifier.False && v.ServerError {
		v.Answer, v.Reason, v.Label = classifier.NotAvailable, serverError, ""
	}
	return v
}

func (v verdict) finding(question string) classifier.Finding {
	return classifier.Finding{Question: question, Answer: v.Answer, Label: v.Label, Reason: v.Reason, Evidence: v.evidence}
}

func (v verdict) spoken() bool { return v.Answer == classifier.True }

// class needs both eras decided: one that is spoken leaves open whether the endpoint is dual.
func class(modern, legacy verdict) classifier.Finding {
	f := classifier.Finding{Question: "era.class", Answer: classifier.True, Evidence: both(modern, legacy)}
	for _, v := range []verdict{legacy, modern} {
		if v.Answer == classifier.NotAvailable {
			f.Answer, f.Reason, f.Evidence = classifier.NotAvailable, v.Reason, v.evidence
			return f
		}
	}
	switch {
	case modern.spoken() && legacy.spoken():
		f.Label = "dual"
	case modern.spoken():
		f.Label = "modern"
	case legacy.spoken():
		f.Label = "legacy"
	default:
		f.Answer, f.Label = classifier.False, "none"
	}
	return f
}

func both(modern, legacy verdict) []int {
	out := slices.Concat(modern.evidence, legacy.evidence)
	slices.Sort(out)
	return slices.Compact(out)
}

// newest returns the newest era that is spoken.
func newest(modern, legacy verdict) (v verdict, spoken bool) {
	if modern.spoken() {
		return modern, true
	}
	return legacy, legacy.spoken()
}

// silent is the finding when no era is known to be spoken: missing by the cause that kept one of them open, or, when
// both were answered otherwise, for want of a handshake.
func silent(question string, modern, legacy verdict) classifier.Finding {
	f := classifier.Finding{Question: question, Answer: classifier.NotAvailable, Reason: classifier.NoHandshake, Evidence: both(modern, legacy)}
	for _, v := range []verdict{legacy, modern} {
		if v.Answer == classifier.NotAvailable {
			f.Reason, f.Evidence = v.Reason, v.evidence
			return f
		}
	}
	return f
}

func revision(modern, legacy verdict) classifier.Finding {
	const question = "era.revision"
	v, spoken := newest(modern, legacy)
	if !spoken {
		return silent(question, modern, legacy)
	}
	f := classifier.Finding{Question: question, Answer: classifier.False, Label: classifier.FreeLabel(v.Revision), Evidence: v.evidence}
	if r, known := wire.FindRevision(v.Revision); known && r.Published {
		f.Answer = classifier.True
	}
	return f
}

func legacyRevision(legacy verdict) classifier.Finding {
	f := classifier.Finding{Question: "era.legacy_revision", Answer: classifier.False, Evidence: legacy.evidence}
	switch {
	case legacy.Answer == classifier.NotAvailable:
		f.Answer, f.Reason = classifier.NotAvailable, legacy.Reason
	case !legacy.spoken():
		f.Answer, f.Reason = classifier.NotApplicable, eraNotSpoken
	default:
		f.Label = classifier.FreeLabel(legacy.Revision)
		if legacy.Revision == legacy.Offered {
			f.Answer = classifier.True
		}
	}
	return f
}

func transport(t *wire.Transcript, modern, legacy verdict) classifier.Finding {
	const question = "era.transport"
	v, spoken := newest(modern, legacy)
	if !spoken {
		return silent(question, modern, legacy)
	}
	f := classifier.Finding{Question: question, Answer: classifier.False, Label: string(v.Transport), Evidence: v.evidence}
	switch {
	case len(t.Declared) == 0:
		f.Answer, f.Reason = classifier.NotApplicable, noneDeclared
	case slices.Contains(t.Declared, v.Transport):
		f.Answer = classifier.True
	}
	return f
}
