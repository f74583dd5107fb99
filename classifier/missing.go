package classifier

import (
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The shared reasons: those that every question may give for not_available (or for the answer in brackets), beside the
// failures of [wire.Failure]. A unit with such a reason showed nothing: it is missing from the denominator, never counted
// as false.
const (
	AuthRequired      = "auth_required"       // HTTP 401, or the JSON-RPC code 401
	PaymentRequired   = "payment_required"    // HTTP 402, the JSON-RPC codes 402 and -402, or error.data.httpStatus 402
	Forbidden         = "forbidden"           // HTTP 403 from the server
	ProxyAuthRequired = "proxy_auth_required" // HTTP 407
	RateLimited       = "rate_limited"        // HTTP 429, the JSON-RPC code 429, or -32023 with an integer data.retryAfterMs
	Unavailable       = "unavailable"         // HTTP 503 from the server
	GatewayError      = "gateway_error"       // HTTP 502, 504, 520–527 or 530: a gateway answered for a server that did not
	EdgeBlock         = "edge_block"          // HTTP 403 or 503 with an HTML page: an intermediary answered for the server
	NoHandshake       = "no_handshake"        // the server answered, but completed no handshake
	NotAsked          = "not_asked"           // the probe had no occasion to send the request
	Budget            = "budget"              // the probe ended before: its request budget was spent
	Deferred          = "deferred"            // the probe ended before: the server asked for a long pause
	DuplicateKey      = "duplicate_key"       // the member that decides stands twice in its object (not_supported)
	OwnFault          = "own_fault"           // the census failed before it could try anything (error)
	Panicked          = "panic"               // the classifier failed (error)
	Inconsistent      = "inconsistent"        // the findings of the classifier contradict its definition (error)
)

// failures are the reasons that an exchange failed, as its Failure says.
var failures = []wire.Failure{
	wire.ResolveNotFound, wire.ResolveFailed, wire.PolicyAddress, wire.PolicyRedirect, wire.PolicyEndpoint, wire.PolicyBudget,
	wire.PolicyRobots,
	wire.ConnectRefused, wire.ConnectTimeout, wire.ConnectUnreached, wire.ConnectFailed, wire.TLSCertificate,
	wire.TLSHandshake, wire.TLSTimeout, wire.HTTPTimeoutHeader, wire.HTTPTimeoutBody, wire.HTTPReset, wire.HTTPMalformed,
	wire.HTTPHeaderTooBig, wire.HTTPBodyTooBig, wire.StreamEnded, wire.StreamTooMany, wire.Deadline, wire.Interrupted,
}

// missingReasons is the closed list of the shared reasons, sorted.
var missingReasons = sharedReasons()

func sharedReasons() []string {
	reasons := []string{
		AuthRequired, PaymentRequired, Forbidden, ProxyAuthRequired, RateLimited, Unavailable, GatewayError, EdgeBlock,
		NoHandshake, NotAsked, Budget, Deferred, DuplicateKey, OwnFault, Panicked, Inconsistent,
	}
	for _, f := range failures {
		reasons = append(reasons, string(f))
	}
	slices.Sort(reasons)
	return reasons
}

// wall returns the reason why a response keeps the answer back from strangers, or nothing when the server let us in.
func wall(e *wire.Exchange, a wire.Answer) string {
	page := a.Message == nil && a.Framing == wire.FramingHTML
	switch s := e.Status; {
	case s == 401:
		return AuthRequired
	case s == 402:
		return PaymentRequired
	case s == 407:
		return ProxyAuthRequired
	case s == 429:
		return RateLimited
	case (s == 403 || s == 503) && page:
		return EdgeBlock
	case s == 403:
		return Forbidden
	case s == 503:
		return Unavailable
	case s == 502, s == 504, 520 <= s && s <= 527, s == 530:
		return GatewayError
	}
	if a.Message != nil && a.Message.Type == wire.TypeError {
		return errorWall(a.Message.Error)
	}
	return ""
}

// errorWall recognises the walls that are told by a JSON-RPC error alone: codes that repeat an HTTP status, and the
// draft form of a rate limit (SEP-3304). The text of the message is never looked at.
func errorWall(e *wire.RPCError) string {
	data, _, err := wire.ReadObject(e.Data)
	if err == nil {
		raw, _ := data.Get("httpStatus")
		if status, _, ok := wire.ReadInt(raw); ok && status == 402 {
			return PaymentRequired
		}
		raw, _ = data.Get("retryAfterMs")
		if _, _, ok := wire.ReadInt(raw); ok && e.CodeIsInt && e.CodeInt == -32023 {
			return RateLimited
		}
	}
	if !e.CodeIsInt {
		return ""
	}
	switch e.CodeInt {
	case 401:
		return AuthRequired
	case 402, -402:
		return PaymentRequired
	case 429:
		return RateLimited
	}
	return ""
}

// EndReason says why a step has no exchange: the decision of ours to visit nobody, what kept the probe from going on, or
// [NotAsked].
func EndReason(t *wire.Transcript) string {
	if len(t.Exchanges) == 0 && t.Unvisited != "" {
		return string(t.Unvisited)
	}
	switch t.Ended {
	case wire.EndedBudget:
		return Budget
	case wire.EndedDeferred:
		return Deferred
	case wire.EndedDeadline:
		return string(wire.Deadline)
	case wire.EndedInterrupted:
		return string(wire.Interrupted)
	}
	return NotAsked
}
