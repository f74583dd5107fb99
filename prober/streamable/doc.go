// Package streamable carries JSON-RPC messages over streamable HTTP (revisions 2025-03-26 and later), in the headers
// and with the fallbacks of both eras: a POST for every message, the answer as JSON or in an event stream, and in the
// legacy era also an answer that is fetched by a GET, because its stream ended early (2025-11-25, resuming) or because
// the server accepted the request and answered nothing.
package streamable
