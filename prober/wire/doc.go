// Package wire holds what was said between the census and an MCP server, and the strict reading of it.
//
// A [Transcript] is the ordered list of [Exchange] values of one probe: one request each, and everything that came
// back, byte for byte. The prober fills it, the store keeps it, the classifiers read it. Whatever must be parsed is
// parsed from those bytes by this package and nowhere else: content codings ([Exchange.Decoded]), server-sent events
// ([Events]), JSON-RPC messages ([ReadMessage]), the answer to a request ([Transcript.Answer]) and the pause that it
// asks for ([Asked]). Keys are compared exactly, presence and JSON types are checked, ids stay raw, and oddities are
// reported as [Flaw] values instead of being repaired.
//
// The package stands alone: it imports nothing else of the project, so prober and classifier may both build on it.
package wire
