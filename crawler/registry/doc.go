// Package registry reads a registry of MCP servers through its HTTP API, completely and provably so.
//
// [Client] speaks HTTP: one request at a time, never faster than its rate, always the same spelling of a URL (caches
// in front of a registry tell spellings apart). [Client.Walk] follows the cursors of a list from page to page, survives
// whatever goes wrong on the way, and can go on from its [State] in another process. [ReadPage] decodes a page of any
// shape that the API has had, by shape and not by the version that the page claims; rows that make no sense are kept
// and say why.
//
// [Client.Crawl] turns a walk, which is torn because the registry changes meanwhile, into a snapshot: it applies what
// changed since the walk began, settles which version of a name is the latest, compares the names with a second,
// independent listing, checks names at random, and writes down a [Proof]. It stores nothing itself; a [Store] does.
//
// Bodies are kept as they are after the content coding (gzip) was removed: the coding belongs to one transfer and says
// nothing about the registry. Everything else in them is untouched.
package registry
