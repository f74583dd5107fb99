package conformance

import (
	"encoding/json"
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// initializeResult: the result of initialize has what every legacy schema requires.
func initializeResult(v *visit, o *outcome) {
	for _, a := range v.answers {
		m, ok := a.result()
		if !ok || a.Step != wire.StepInitialize {
			continue
		}
		result, label := object(m)
		if label != "" {
			o.breach(a.Seq, label, "the result of initialize is no object of its own")
			continue
		}
		before := len(o.breaches)
		for _, want := range []struct {
			key   string
			kind  wire.Kind
			label string
		}{
			{"protocolVersion", wire.KindString, "protocol_version"},
			{"capabilities", wire.KindObject, "capabilities"},
			{"serverInfo", wire.KindObject, "server_info"},
		} {
			if !is(result, want.key, want.kind) {
				o.breach(a.Seq, want.label, want.key+" is "+kindOf(result, want.key))
			}
		}
		raw, _ := result.Get("serverInfo")
		if info, _, err := wire.ReadObject(raw); err == nil {
			for _, key := range []string{"name", "version"} {
				if !is(info, key, wire.KindString) {
					o.breach(a.Seq, "server_info_"+key, "serverInfo."+key+" is "+kindOf(info, key))
				}
			}
		}
		if len(o.breaches) == before {
			o.keep(a.Seq)
		}
	}
	v.noEra(o, wire.Legacy)
}

// discoverResult: the result of server/discover has what the schema of 2026-07-28 requires of it alone; the members
// that it shares with other results have rules of their own.
func discoverResult(v *visit, o *outcome) {
	s := v.modern(o)
	if s == nil {
		return
	}
	for _, a := range v.of(s, wire.StepDiscover) {
		m, ok := a.result()
		if !ok {
			continue
		}
		result, label := object(m)
		raw, _ := result.Get("supportedVersions")
		versions, err := wire.ReadArray(raw)
		notText := func(v json.RawMessage) bool { return wire.KindOf(v) != wire.KindString }
		switch {
		case label != "":
			o.breach(a.Seq, label, "the result of server/discover is no object of its own")
		case err != nil:
			o.breach(a.Seq, "supported_versions", "supportedVersions is "+kindOf(result, "supportedVersions"))
		case slices.ContainsFunc(versions, notText):
			o.breach(a.Seq, "supported_versions", "supportedVersions holds something that is no string")
		case !is(result, "capabilities", wire.KindObject):
			o.breach(a.Seq, "capabilities", "capabilities is "+kindOf(result, "capabilities"))
		default:
			o.keep(a.Seq)
		}
	}
}
