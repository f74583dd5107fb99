package wire

import "slices"

// The places where an answer was found.
const (
	ViaBody   = "body"   // in the response to the request
	ViaStream = "stream" // on the open stream of the exchange StreamOf
)

// Answer is the answer to one request.
type Answer struct {
	Framing Framing  // of the content that held the answer; without an answer, of the response
	Message *Message // a result or an error; nil when there is none. Must not be changed.
	IDMatch IDMatch  // how its id compares; empty without a message
	Via     string   // ViaBody or ViaStream; empty without a message
	Flaws   []Flaw   // of the content and of the message, sorted
	Others  int      // other JSON-RPC messages beside it
}

// Answer finds the answer to the exchange with that Seq: in its own response, or, when StreamOf names an exchange, in
// the event stream of that. It is a function of the stored bytes alone. An unknown Seq gives the framing none.
//
// Whether the response is an event stream or JSON is told by its Content-Type, and by its first bytes where these
// disagree or there is no such field (see [IsEventStream]). Which message is the answer is told by [AnswerScanner].
//
// Results are kept in the transcript, so a transcript must not be used by several goroutines at once, nor its
// exchanges changed after the first call.
func (t *Transcript) Answer(seq int) Answer {
	if a, ok := t.answers[seq]; ok {
		return a
	}
	a := t.findAnswer(seq)
	if t.answers == nil {
		t.answers = map[int]Answer{}
	}
	t.answers[seq] = a
	return a
}

// Exchange returns the exchange with that Seq, or nil.
func (t *Transcript) Exchange(seq int) *Exchange {
	i := slices.IndexFunc(t.Exchanges, func(e Exchange) bool { return e.Seq == seq })
	if i < 0 {
		return nil
	}
	return &t.Exchanges[i]
}

func (t *Transcript) findAnswer(seq int) Answer {
	e := t.Exchange(seq)
	if e == nil {
		return Answer{Framing: FramingNone}
	}
	own := NewAnswerScanner(e.RequestID)
	framing, flaws := e.scan(own)
	a := own.result(framing, flaws, ViaBody)
	if a.Message != nil || e.RequestID == nil || e.StreamOf == 0 {
		if a.Message != nil && e.Transport == HTTPSSE {
			a.Flaws = sorted(append(a.Flaws, AnswerOnOtherStream))
		}
		return a
	}
	stream := t.Exchange(e.StreamOf)
	if stream == nil {
		return a
	}
	shared := NewStreamScanner(e.RequestID)
	framing, flaws = stream.scan(shared)
	if shared.fallback != nil && !t.onlyUnanswered(e, stream) {
		shared.fallback = nil
	}
	b := shared.result(framing, flaws, ViaStream)
	if b.Message == nil {
		return a
	}
	if e.Transport != HTTPSSE {
		b.Flaws = sorted(append(b.Flaws, AnswerOnOtherStream))
	}
	return b
}

// onlyUnanswered says whether e is the only request that the stream holds no answer with an id for.
func (t *Transcript) onlyUnanswered(e, stream *Exchange) bool {
	for i := range t.Exchanges {
		other := &t.Exchanges[i]
		if other.StreamOf != stream.Seq || other.RequestID == nil || other.Seq == e.Seq {
			continue
		}
		s := NewStreamScanner(other.RequestID)
		stream.scan(s)
		if s.answer == nil {
			return false
		}
	}
	return true
}

// result turns what the scanner saw into an Answer.
func (s *AnswerScanner) result(framing Framing, flaws []Flaw, via string) Answer {
	a := Answer{Framing: framing, Others: s.messages}
	a.Message, a.IDMatch = s.Answer()
	flaws = append(flaws, s.flaws...)
	if m := a.Message; m != nil {
		a.Via = via
		a.Others--
		flaws = append(flaws, m.Flaws...)
		if a.IDMatch == IDLoose || a.IDMatch == IDNull && m.Type == TypeResult {
			flaws = append(flaws, IDTypeChanged)
		}
	} else {
		a.IDMatch = ""
	}
	a.Flaws = sorted(flaws)
	return a
}
