package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Classify names an error of resolving, connecting, the TLS handshake, or of an HTTP request or body, and describes it
// without addresses and ports of this machine. No error has no failure.
func Classify(err error) (wire.Failure, string) {
	if err == nil {
		return "", ""
	}
	return failureOf(err), describe(err)
}

func failureOf(err error) wire.Failure {
	var refused *RefusedError
	var redirect *RedirectError
	var dns *net.DNSError
	var handshake *HandshakeError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &refused):
		return wire.PolicyAddress
	case errors.As(err, &redirect):
		return wire.PolicyRedirect
	case errors.As(err, &dns) && dns.IsNotFound:
		return wire.ResolveNotFound
	case errors.As(err, &dns):
		return wire.ResolveFailed
	case errors.As(err, &handshake):
		return handshakeFailure(handshake.Err)
	case errors.As(err, &op) && op.Op == "dial":
		return connectFailure(op)
	case holds(err, context.Canceled):
		return wire.Interrupted
	case holds(err, context.DeadlineExceeded):
		return wire.Deadline
	case errors.As(err, &timeout) && timeout.Timeout():
		return wire.HTTPTimeoutHeader // the only timer of the transport that is left
	}
	return httpFailure(err)
}

// holds looks for the very error: the timeouts of net/http call themselves context.DeadlineExceeded, too.
func holds(err, want error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if err == want { //nolint:errorlint // see above
			return true
		}
	}
	return false
}

func connectFailure(err *net.OpError) wire.Failure {
	switch {
	case err.Timeout():
		return wire.ConnectTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return wire.ConnectRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTDOWN), errors.Is(err, syscall.ENETDOWN):
		return wire.ConnectUnreached
	}
	return wire.ConnectFailed
}

func handshakeFailure(err error) wire.Failure {
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &certificate):
		return wire.TLSCertificate
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return wire.TLSTimeout
	}
	return wire.TLSHandshake
}

// httpFailure sorts what happens on an open connection. Where net/http has no type for an error, its text decides;
// the tests produce each of these with real sockets, so a changed text shows.
func httpFailure(err error) wire.Failure {
	for _, reset := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed} {
		if errors.Is(err, reset) {
			return wire.HTTPReset
		}
	}
	text := err.Error()
	for _, known := range []struct {
		part    string
		failure wire.Failure
	}{
		{"response headers exceeded", wire.HTTPHeaderTooBig},
		{"header list larger", wire.HTTPHeaderTooBig},
		{"server closed idle connection", wire.HTTPReset},
		{"GOAWAY", wire.HTTPReset},
		{"PROTOCOL_ERROR", wire.HTTPMalformed},
		{"FLOW_CONTROL_ERROR", wire.HTTPMalformed},
		{"COMPRESSION_ERROR", wire.HTTPMalformed},
		{"FRAME_SIZE_ERROR", wire.HTTPMalformed},
		{"stream error", wire.HTTPReset},
		{"connection lost", wire.HTTPReset},
		{"client conn is closed", wire.HTTPReset},
		{"client conn not usable", wire.HTTPReset},
		{"client conn could not be established", wire.HTTPReset},
	} {
		if strings.Contains(text, known.part) {
			return known.failure
		}
	}
	return wire.HTTPMalformed
}

// maxDetail is the length of a description in bytes.
const maxDetail = 300

// Where net puts addresses of this machine into an error: "read tcp local->remote", "lookup name on server", and the
// local address alone.
var (
	localPair  = regexp.MustCompile(`(tcp|udp)[46]? \S+->`)
	nameServer = regexp.MustCompile(` on \S+:\d+:`)
)

func describe(err error) string {
	text := err.Error()
	var dns *net.DNSError
	if errors.As(err, &dns) {
		text = "lookup " + dns.Name + ": " + dns.Err // without the server, which is ours
	}
	text = nameServer.ReplaceAllString(localPair.ReplaceAllString(text, "$1 "), ":")
	return Printable(text)
}

// Printable makes text from the wire fit for a detail: valid UTF-8 without control characters, cut to 300 bytes.
func Printable(text string) string {
	if len(text) > maxDetail {
		text = text[:maxDetail] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
