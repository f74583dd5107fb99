// Package schema says whether the JSON Schema of a tool follows the dialect that it declares, without ever compiling or
// running it.
//
// [Check] takes the schema as a plain value and validates it against the published metaschema of its dialect, which is
// the only schema that is compiled here. The references inside it are followed by a walk of its own: it fetches nothing,
// keeps its place in a slice instead of on the call stack, and is bounded by counts of work, never by time. So a schema
// that refers to itself, doubles at every level or points to a file costs no more than any other value of its size.
//
// The package stands alone but for prober/wire, so prober and classifier may both build on it.
package schema
