package exchange

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Each request that a server sees is one exchange, also when it closes the connection that was kept for the next one.
func TestEachRequestIsAnExchange(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if r.Method != http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	})
	r, u := recorderFor(t, target, Limits{})
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		post(t, r, u)
		r.Send(t.Context(), Request{Era: wire.Legacy, Transport: wire.StreamableHTTP, Step: wire.StepDelete, Method: method, URL: u}).Read(Reader{})
	}
	exchanges := r.Close()
	if got := int(seen.Load()); got != len(exchanges) || got != 4 {
		t.Errorf("the server saw %d requests, %d are recorded", got, len(exchanges))
	}
	for _, e := range exchanges {
		if e.Method != http.MethodPost && e.Failure != wire.HTTPReset {
			t.Errorf("%s: failure %q", e.Method, e.Failure)
		}
	}
}
