// Package exchange sends the HTTP requests of one probe, one after the other, and records each of them as a
// wire.Exchange: what was sent, every byte that came back, how long it took and what went wrong.
//
// A [Recorder] belongs to one probe. [Recorder.Send] asks the [Gate] before every request, follows the few redirects
// that may be followed, and returns at the response header; [Response.Read] then reads the body as it arrives, keeps it
// as received within the caps, and decodes a copy for the [Reader] of the caller, who says when the answer is there. An
// event stream that must stay open while other requests are made is read by a [Stream] beside them, and those requests
// use a second connection.
//
// The transports (streamable, sse) put JSON-RPC on top of it: they carry a [Call] and return a [Reply].
package exchange
