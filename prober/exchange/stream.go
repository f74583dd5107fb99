package exchange

import (
	"context"
	"sync"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Stream is an event stream that is read in the background while other requests are made.
type Stream struct {
	Response *Response

	mu      sync.Mutex
	events  []wire.Event
	changed chan struct{} // closed and replaced with every event, closed for good at the end
	ended   bool
	done    chan struct{}
}

// Background reads an open response as an event stream until it ends or Close is called. Until then its exchange must
// be left alone.
func (r *Recorder) Background(resp *Response) *Stream {
	resp.settle()
	s := &Stream{Response: resp, changed: make(chan struct{}), done: make(chan struct{})}
	r.streams = append(r.streams, s)
	go func() {
		defer close(s.done)
		resp.Read(Reader{All: true, Event: s.add})
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = true
		close(s.changed)
	}()
	return s
}

func (s *Stream) add(event wire.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
	close(s.changed)
	s.changed = make(chan struct{})
}

// Mark returns the place behind the last event so far.
func (s *Stream) Mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

// Await gives the events from a place on to take, as they come, until it returns true. It returns false when the stream
// or ctx has ended before.
func (s *Stream) Await(ctx context.Context, from int, take func(wire.Event) bool) bool {
	for {
		s.mu.Lock()
		fresh, changed, ended := s.events[from:], s.changed, s.ended
		s.mu.Unlock()
		for _, event := range fresh {
			if take(event) {
				return true
			}
		}
		from += len(fresh)
		if ended {
			return false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// Ended says whether the stream has ended.
func (s *Stream) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// Close ends the stream from our side, if it is still open, and waits until its exchange is complete. It can be called
// more than once.
func (s *Stream) Close() {
	s.Response.enough()
	<-s.done
}
