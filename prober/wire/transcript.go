package wire

import (
	"encoding/json"
	"time"
)

// Transport is how messages travel, spelled as in the registry.
type Transport string

// The transports.
const (
	StreamableHTTP Transport = "streamable-http"
	HTTPSSE        Transport = "sse"
	Stdio          Transport = "stdio"
)

// Purpose is why a target was visited.
type Purpose string

// The purposes. Only main visits enter the headline rates; the others measure the noise of the main ones.
const (
	Main    Purpose = "main"
	Confirm Purpose = "confirm"
	Control Purpose = "control"
	Retest  Purpose = "retest"
)

// Step is what a request of the probe is for.
type Step string

// The steps of a remote probe, in the order in which they are sent.
const (
	StepDiscover    Step = "discover"     // server/discover, modern era
	StepInitialize  Step = "initialize"   // initialize, legacy era
	StepInitialized Step = "initialized"  // notifications/initialized, legacy era
	StepListTools   Step = "list_tools"   // tools/list, one exchange a page
	StepUnknownTool Step = "unknown_tool" // tools/call of a name that cannot exist
	StepCall        Step = "call"         // tools/call that the operator of the census allowed by name
	StepOpenStream  Step = "open_stream"  // GET that opens an event stream: HTTP+SSE, or a resumed answer
	StepServerReply Step = "server_reply" // our answer to a request of the server
	StepDelete      Step = "delete"       // DELETE of the session
)

// Failure is why an exchange has no complete response, or none at all. It is empty when the response was read to
// its end, or to the answer that was waited for. The vocabulary is closed and published: see ../FORMAT.md.
type Failure string

// The failures, by layer.
const (
	ResolveNotFound   Failure = "resolve.not_found" // the name does not exist
	ResolveFailed     Failure = "resolve.failed"    // the resolver gave no usable answer
	PolicyAddress     Failure = "policy.address"    // every address is one that the census never dials
	PolicyRedirect    Failure = "policy.redirect"   // a redirect that is recorded, not followed
	PolicyEndpoint    Failure = "policy.endpoint"   // an SSE endpoint event that points to another origin, or to nothing usable
	PolicyBudget      Failure = "policy.budget"     // the request budget of the endpoint was spent
	PolicyRobots      Failure = "policy.robots"     // the robots.txt of the host keeps the census out
	ConnectRefused    Failure = "connect.refused"
	ConnectTimeout    Failure = "connect.timeout"
	ConnectUnreached  Failure = "connect.unreachable" // no route to host or network
	ConnectFailed     Failure = "connect.failed"
	TLSCertificate    Failure = "tls.certificate" // the chain does not verify
	TLSHandshake      Failure = "tls.handshake"   // any other failure of the handshake
	TLSTimeout        Failure = "tls.timeout"
	HTTPTimeoutHeader Failure = "http.timeout_header" // connected, no response header in time
	HTTPTimeoutBody   Failure = "http.timeout_body"   // header received, the answer did not come in time
	HTTPReset         Failure = "http.reset"          // the connection was closed or reset in the middle
	HTTPMalformed     Failure = "http.malformed"      // not HTTP, or broken framing
	HTTPHeaderTooBig  Failure = "http.header_too_large"
	HTTPBodyTooBig    Failure = "http.body_too_large" // the cap was reached; what was read is kept
	StreamEnded       Failure = "stream.ended"        // the event stream ended before the answer
	StreamTooMany     Failure = "stream.too_many_events"
	Deadline          Failure = "deadline" // the absolute deadline of the whole probe
	Interrupted       Failure = "interrupted"
)

// Ended is why a probe sent nothing more.
type Ended string

// The ends of a probe.
const (
	EndedDone        Ended = "done"        // every step that the answers allowed was taken
	EndedDeadline    Ended = "deadline"    // the absolute deadline of the probe
	EndedBudget      Ended = "budget"      // the request budget of the endpoint
	EndedDeferred    Ended = "deferred"    // the server asked for a longer pause than the probe may last
	EndedInterrupted Ended = "interrupted" // the census was stopped
)

// Field is one header field as received.
type Field struct{ Name, Value string }

// Header is an ordered list of header fields.
type Header []Field

// Exchange is one request and everything that came back.
type Exchange struct {
	Seq       int       // position in the transcript, from 1
	Era       Era       // the era that the request belongs to
	Transport Transport // the transport that carried it
	Step      Step
	Page      int // page of a tools/list, from 1; 0 for other steps
	Try       int // attempt at the same step (and page), from 1
	FollowsOf int // Seq of the exchange whose redirect this one follows; 0 if none
	StreamOf  int // Seq of the open_stream exchange that carries the answer (HTTP+SSE, resumed answers); 0 if none

	Method        string // HTTP method
	URL           string // as requested, after redirects
	RequestHeader Header // as the census set it
	RequestBody   []byte
	RequestID     json.RawMessage // raw JSON-RPC id; nil for notifications and requests without a message

	Status         int    // 0 when no response header arrived
	Proto          string // such as "HTTP/1.1"; empty when no response header arrived
	ResponseHeader Header
	Body           []byte // as received, content coding included; cut at the cap
	BodyLength     int64  // bytes received in all, also those beyond the cap
	DeclaredLength int64  // Content-Length; -1 when absent
	BodyTruncated  bool   // Body holds less than BodyLength
	LeftOpen       bool   // the answer was complete and the census closed a stream that was still open
	Failure        Failure
	FailureDetail  string // the error text, without addresses of this machine

	RemoteAddr string // address and port that was dialled
	TLSVersion string // such as "TLS 1.3"; empty without TLS

	Started   time.Time     // when the request was sent
	FirstByte time.Duration // from Started to the response header; 0 when none arrived
	Duration  time.Duration // from Started to the end of the exchange
}

// Transcript is everything that was said in one probe.
type Transcript struct {
	Target      string      // canonical key of the target
	Declared    []Transport // transports that the registry declares for it
	Purpose     Purpose
	Visit       int    // number of the visit with this purpose, from 1
	UnknownTool string // the name that cannot exist, derived from the target
	Started     time.Time
	Finished    time.Time
	Ended       Ended
	RetryAfter  time.Duration // the pause that the server asked for, when Ended is EndedDeferred
	Exchanges   []Exchange

	// Unvisited is why nothing was sent, by our own decision: PolicyRobots or PolicyBudget; empty otherwise.
	Unvisited Failure
	// Fault is our own fault, in words, when nothing could be tried because of it; empty otherwise.
	Fault string

	answers map[int]Answer // cache of Answer, by Seq
}

// Outcome says how far the visit got: "answered" when any response header arrived, otherwise the failure of the first
// exchange, or, without exchanges, the decision of ours that Unvisited names. It is what the funnel counts; whether the
// answers are any good is for the classifiers.
func (t *Transcript) Outcome() string {
	first := ""
	for i := range t.Exchanges {
		if t.Exchanges[i].Status != 0 {
			return OutcomeAnswered
		}
		if first == "" {
			first = string(t.Exchanges[i].Failure)
		}
	}
	switch {
	case first != "":
		return first
	case len(t.Exchanges) == 0 && t.Unvisited != "":
		return string(t.Unvisited)
	}
	return OutcomeNothingSent
}

// The outcomes beside the failures.
const (
	OutcomeAnswered    = "answered"
	OutcomeNothingSent = "nothing_sent"
)

// Get returns the first value of the named field, compared without case, and whether there is one.
func (h Header) Get(name string) (string, bool) {
	for _, f := range h {
		if equalFold(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
