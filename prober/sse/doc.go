// Package sse carries JSON-RPC messages over the HTTP+SSE transport of revision 2024-11-05: a GET opens an event stream
// whose endpoint event names the URL to POST messages to, and the answers arrive on the stream. The stream holds one
// connection for the whole session; the POSTs use a second one.
package sse
