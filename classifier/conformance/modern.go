package conformance

import (
	"fmt"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// modernResults calls judge for every result of the modern session that is an object.
func (v *visit) modernResults(o *outcome, steps []wire.Step, judge func(*session, answered, wire.Object)) {
	s := v.modern(o)
	if s == nil {
		return
	}
	for _, a := range v.of(s, steps...) {
		if m, ok := a.result(); ok {
			if result, label := object(m); label == "" {
				judge(s, a, result)
			}
		}
	}
}

// resultType: every modern result has a resultType, one of the core protocol unless the server has extensions, which
// may define others.
func resultType(v *visit, o *outcome) {
	steps := []wire.Step{wire.StepDiscover, wire.StepListTools, wire.StepUnknownTool, wire.StepCall}
	v.modernResults(o, steps, func(s *session, a answered, result wire.Object) {
		kind, ok := text(result, "resultType")
		label, detail := "", "the result of "+string(a.Step)+": resultType is "+kindOf(result, "resultType")
		switch _, present := result.Get("resultType"); {
		case !present:
			label = "result_type_absent"
		case !ok:
			label = "result_type_not_text"
		case kind != "complete" && kind != "input_required" && !s.hasExtensions():
			label, detail = "result_type_unknown", fmt.Sprintf("the result of %s: resultType is %q", a.Step, kind)
		}
		o.unless(a.Seq, label, detail)
	})
}

func (s *session) hasExtensions() bool {
	raw, _ := s.Result.Get("capabilities")
	capabilities, _, err := wire.ReadObject(raw)
	if err != nil {
		return false
	}
	raw, _ = capabilities.Get("extensions")
	extensions, _, err := wire.ReadObject(raw)
	return err == nil && extensions.Len() > 0
}

// cacheFields: complete results of server/discover and tools/list say how long and by whom they may be kept, and every
// page of a list the same scope.
func cacheFields(v *visit, o *outcome) {
	scope := ""
	v.modernResults(o, []wire.Step{wire.StepDiscover, wire.StepListTools}, func(_ *session, a answered, result wire.Object) {
		if kind, ok := text(result, "resultType"); ok && kind != "complete" {
			return
		}
		raw, present := result.Get("ttlMs")
		ttl, _, isInt := wire.ReadInt(raw)
		got, _ := text(result, "cacheScope")
		label, detail := "", ""
		switch {
		case !present:
			label, detail = "ttl_absent", "ttlMs is absent"
		case !isInt || ttl < 0:
			label, detail = "ttl_value", "ttlMs is "+string(raw)
		case got != "public" && got != "private":
			label, detail = "cache_scope", fmt.Sprintf("cacheScope is %s", kindOf(result, "cacheScope"))
			if got != "" {
				detail = fmt.Sprintf("cacheScope is %q", got)
			}
		case a.Step == wire.StepListTools && scope != "" && got != scope:
			label, detail = "cache_scope_differs", fmt.Sprintf("cacheScope is %q on this page and %q on one before", got, scope)
		}
		if a.Step == wire.StepListTools && scope == "" {
			scope = got
		}
		o.unless(a.Seq, label, "the result of "+string(a.Step)+": "+detail)
	})
}

// modernErrors calls judge for every JSON-RPC error of the modern session with an integer code.
func (v *visit) modernErrors(o *outcome, judge func(*session, answered, int64)) {
	s := v.modern(o)
	if s == nil {
		return
	}
	for _, a := range v.of(s, wire.StepDiscover, wire.StepListTools, wire.StepUnknownTool, wire.StepCall) {
		if e := a.failed(); e != nil && e.CodeIsInt {
			judge(s, a, e.CodeInt)
		}
	}
}

// errorStatus: over HTTP three codes of 2026-07-28 are bound to status 400, and a method that is not implemented to
// 404. That -32601 answers the call of a tool is a mechanism: the method itself is implemented.
func errorStatus(v *visit, o *outcome) {
	v.modernErrors(o, func(s *session, a answered, code int64) {
		isCall := a.Step == wire.StepUnknownTool || a.Step == wire.StepCall
		want := 0
		switch {
		case s.Transport != wire.StreamableHTTP:
		case -32022 <= code && code <= -32020:
			want = 400
		case code == -32601 && !isCall:
			want = 404
		}
		if want == 0 {
			return
		}
		label := ""
		if a.Status != want {
			label = fmt.Sprintf("code_%d", code)
		}
		o.unless(a.Seq, label, fmt.Sprintf("error %d came with status %d, not %d", code, a.Status, want))
	})
}

// reservedCodes: a server of 2026-07-28 sends no code that this revision reserves without defining it, and none that it
// has withdrawn.
func reservedCodes(v *visit, o *outcome) {
	v.modernErrors(o, func(s *session, a answered, code int64) {
		label := ""
		switch {
		case code == -32002 || code == -32042:
			label = "withdrawn"
		case a.failed().Band(s.Revision) == wire.BandMCPReservedUndefined:
			label = "reserved"
		}
		o.unless(a.Seq, label, fmt.Sprintf("error %d in answer to %s", code, a.Step))
	})
}
