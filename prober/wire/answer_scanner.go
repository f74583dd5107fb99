package wire

import (
	"encoding/json"
	"errors"
)

// AnswerScanner finds the answer to one request among the messages of a response, in the order in which they come. The
// prober feeds it while it reads and stops at the answer; [Transcript.Answer] feeds it from the stored bytes, so both
// find the same message.
type AnswerScanner struct {
	id     json.RawMessage
	shared bool

	answer   *Message
	match    IDMatch
	fallback *Message // an error without an id on a shared stream
	flaws    []Flaw
	messages int // JSON-RPC messages offered
	values   int // payloads that are JSON, message or not
	payloads int
}

// NewAnswerScanner returns a scanner for the response to a POST of its own. Its answer is the first result or error
// whose id matches exactly or loosely, or is null or missing: there is only one request that it can be for. An answer
// to another id is never taken.
func NewAnswerScanner(id json.RawMessage) *AnswerScanner { return &AnswerScanner{id: id} }

// NewStreamScanner returns a scanner for a stream that answers to several requests travel on. There an answer without
// an id could belong to any of them: it does not end the search, and an error of this kind is the answer only if
// nothing else was.
func NewStreamScanner(id json.RawMessage) *AnswerScanner { return &AnswerScanner{id: id, shared: true} }

// Offer takes the payload of the next message and reports whether it is the answer, so that reading can stop.
// Payloads after the answer are only counted, and compared for a second answer.
func (s *AnswerScanner) Offer(payload []byte) bool {
	s.payloads++
	m, err := ReadMessage(payload)
	if err != nil {
		if errors.Is(err, ErrNotObject) {
			s.values++
		}
		s.odd(m)
		return false
	}
	s.values++
	if m.Type == TypeInvalid {
		s.odd(m)
		return false
	}
	s.messages++
	if s.id == nil || m.Type != TypeResult && m.Type != TypeError {
		return false
	}
	match := MatchID(s.id, m.ID)
	if s.answer != nil {
		if match == IDExact || match == IDLoose {
			s.flaws = append(s.flaws, DuplicateAnswer)
		}
		return false
	}
	switch {
	case match == IDDifferent:
		if !s.shared {
			s.flaws = append(s.flaws, IDMismatch)
		}
		return false
	case s.shared && (match == IDNull || match == IDMissing):
		if s.fallback == nil && m.Type == TypeError {
			s.fallback = &m
		}
		return false
	}
	s.answer, s.match = &m, match
	return true
}

// odd takes the flaws of a payload that is no message, unless it came behind the answer.
func (s *AnswerScanner) odd(m Message) {
	if s.answer == nil {
		s.flaws = append(s.flaws, m.Flaws...)
	}
}

// Answer returns the answer found so far, or nil: at the end of a shared stream also an error without an id.
func (s *AnswerScanner) Answer() (*Message, IDMatch) {
	if s.answer == nil && s.fallback != nil {
		return s.fallback, MatchID(s.id, s.fallback.ID)
	}
	return s.answer, s.match
}
