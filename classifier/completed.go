package classifier

import (
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// whyNoHandshake returns the root cause of the absence of a session.
func whyNoHandshake(t *wire.Transcript) (reason string, evidence []int) {
	answer, reason, evidence := Completed(t)
	if answer != NotAvailable {
		reason = NoHandshake
	}
	return reason, evidence
}

// Completed says whether a handshake of either era was completed. An era that was not asked says nothing; a wall says
// more than a failure, and a failure more than another answer, for the era that failed may be the one that is spoken.
func Completed(t *wire.Transcript) (answer Answer, reason string, evidence []int) {
	var asked []Handshake
	all := []Handshake{ReadHandshake(t, wire.Legacy), ReadHandshake(t, wire.Modern)}
	for _, h := range all {
		if h.Asked {
			asked = append(asked, h)
		}
	}
	if len(asked) == 0 {
		return NotAvailable, all[0].Reason, seqs(all[0])
	}
	for _, test := range []func(Handshake) bool{
		func(h Handshake) bool { return h.Answer == True },
		func(h Handshake) bool { return h.Answer == NotAvailable && isWall(h.Reason) },
		func(h Handshake) bool { return h.Answer == NotAvailable },
		func(h Handshake) bool { return true },
	} {
		if i := slices.IndexFunc(asked, test); i >= 0 {
			h := asked[i]
			same := slices.DeleteFunc(asked, func(o Handshake) bool { return o.Answer != h.Answer })
			return h.Answer, h.Reason, seqs(same...)
		}
	}
	return NotAvailable, NotAsked, nil
}

// seqs returns the exchanges of handshakes as evidence.
func seqs(hs ...Handshake) []int {
	var out []int
	for _, h := range hs {
		if h.Seq != 0 {
			out = append(out, h.Seq)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
