// Package prober visits one MCP endpoint and returns everything that was said: one target in, one transcript out. It
// knows no database and no queue.
//
// [Prober.Probe] asks both eras of the protocol and, where it is declared or indicated, the HTTP+SSE transport, lists
// the tools through every page, calls a tool that cannot exist, and ends the session. What it sends next depends on
// what came back; what an answer is worth is not judged here, but by the classifiers, from the same bytes. FORMAT.md
// beside this file describes the transcript as it is published.
//
// The order of the steps is in flow.go, the two eras in modern.go and legacy.go, the messages in requests.go, and when
// a request is repeated in ask.go. Package exchange sends and records, packages streamable and sse carry messages,
// package dial decides who may be connected to.
package prober
