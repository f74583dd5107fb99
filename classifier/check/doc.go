// Package check turns the transcript of a visit to one server into what a person wants to know of it: what it speaks,
// what it lists, how it reports an unknown tool, and which rules it breaks.
//
// A mechanism is information and never a fault; only the rules of package conformance are judged. Everything that came
// from the wire is made harmless for a terminal before it is written, and secrets in URLs are hidden.
package check
