package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"
)

// Defaults of a transport.
const (
	DefaultTLSTimeout    = 5 * time.Second
	DefaultHeaderTimeout = 10 * time.Second
	MaxHeaderBytes       = 64 << 10 // of one response
)

// Options of a transport. Zero times stand for the defaults.
type Options struct {
	TLSTimeout    time.Duration
	HeaderTimeout time.Duration  // from the end of the request to the end of the response header
	RootCAs       *x509.CertPool // nil stands for those of the system
}

// HandshakeError is a failed TLS handshake.
type HandshakeError struct{ Err error }

// Error returns the cause.
func (e *HandshakeError) Error() string { return "TLS handshake: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *HandshakeError) Unwrap() error { return e.Err }

// Transport sends the requests of one probe over one connection at a time, which it keeps for the next request. It
// speaks HTTP/1.1 and HTTP/2, leaves content codings alone, follows no redirect, uses no proxy, and sends no request twice.
// The body of every response must be closed.
type Transport struct {
	base       *http.Transport
	dialer     *Dialer
	tls        *tls.Config
	tlsTimeout time.Duration
}

// NewTransport returns a transport that connects with the dialer.
func NewTransport(d *Dialer, o Options) *Transport {
	t := &Transport{
		dialer:     d,
		tlsTimeout: orDefault(o.TLSTimeout, DefaultTLSTimeout),
		tls:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs, NextProtos: []string{"h2", "http/1.1"}},
	}
	t.base = &http.Transport{
		DialContext:            t.dial,
		DialTLSContext:         t.dialTLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxConnsPerHost:        1,
		ResponseHeaderTimeout:  orDefault(o.HeaderTimeout, DefaultHeaderTimeout),
		MaxResponseHeaderBytes: MaxHeaderBytes,
	}
	return t
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Close ends the connections that are not in use; one whose response body is still open ends when that is closed.
func (t *Transport) Close() { t.base.CloseIdleConnections() }

func (t *Transport) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := mayDial(ctx); err != nil {
		return nil, err
	}
	inner, err := t.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return newConn(inner, nil), nil
}

func (t *Transport) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	if err := mayDial(ctx); err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("split the address to dial: %w", err)
	}
	inner, err := t.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := t.tls.Clone()
	config.ServerName = host
	secured := tls.Client(inner, config)
	ctx, cancel := context.WithTimeout(ctx, t.tlsTimeout)
	defer cancel()
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, &HandshakeError{Err: errors.Join(err, secured.Close())}
	}
	state := secured.ConnectionState()
	if state.NegotiatedProtocol == "h2" {
		return secured, nil // framed by itself
	}
	return newConn(secured, &state), nil
}

// RoundTrip sends one request, as http.RoundTripper asks.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var used *conn
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { used, _ = info.Conn.(*conn) }}
	o := &once{}
	resp, err := t.base.RoundTrip(req.WithContext(o.watch(httptrace.WithClientTrace(req.Context(), trace))))
	if err != nil {
		o.cancel()
		if o.repeated.Load() {
			err = errRepeated
		}
		return nil, err
	}
	if used != nil {
		if resp.TLS == nil {
			resp.TLS = used.tls
		}
		used.expect(bodyLength(req.Method, resp))
	}
	resp.Body = &trackedBody{ReadCloser: resp.Body, conn: used, over: o.cancel}
	return resp, nil
}

// bodyLength is the number of bytes that follow the header, or negative when that is not known in advance (RFC 9112
// §6.3).
func bodyLength(method string, resp *http.Response) int64 {
	if method == http.MethodHead {
		return 0
	}
	return resp.ContentLength
}

// trackedBody tells the connection when the body is complete, and frees what the request held.
type trackedBody struct {
	io.ReadCloser
	conn *conn // nil for HTTP/2
	over context.CancelFunc
}

// Read passes the read on.
func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.conn != nil {
		b.conn.done()
	}
	return n, err
}

// Close closes the body.
func (b *trackedBody) Close() error {
	defer b.over()
	return b.ReadCloser.Close()
}
