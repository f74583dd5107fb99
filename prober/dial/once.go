package dial

import (
	"context"
	"fmt"
	"io"
	"net/http/httptrace"
	"sync/atomic"
)

// errRepeated stands for the failure that net/http wanted to answer by sending the request again.
var errRepeated = fmt.Errorf("the connection ended before the response: %w", io.EOF)

// once keeps net/http from sending a request again by itself: on a new connection, when the server closed the old one,
// and on the same one, when HTTP/2 refused the stream. Such a request would be neither paced nor recorded. A body that
// cannot be read twice would do, but GET and DELETE have none, and must not look as if they had.
type once struct {
	cancel   context.CancelFunc
	sent     atomic.Bool // a header was written
	repeated atomic.Bool // and then the request was to be sent again
}

type onceKey struct{}

// watch returns the context of a request that goes out once at most. Call cancel when its response is over.
func (o *once) watch(ctx context.Context) context.Context {
	ctx, o.cancel = context.WithCancel(context.WithValue(ctx, onceKey{}, o))
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			// HTTP/2 looks at the context before it writes a header.
			if o.refuses() {
				o.cancel()
			}
		},
		WroteHeaders: func() { o.sent.Store(true) },
	})
}

// refuses says whether the request was sent before, and remembers that it was to be sent again.
func (o *once) refuses() bool {
	if !o.sent.Load() {
		return false
	}
	o.repeated.Store(true)
	return true
}

// mayDial refuses a connection for a request that was sent before. HTTP/1 needs a new one to send it again, since no
// more than one is open at a time.
func mayDial(ctx context.Context) error {
	if o, watched := ctx.Value(onceKey{}).(*once); watched && o.refuses() {
		return errRepeated
	}
	return nil
}
