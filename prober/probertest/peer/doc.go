// Package peer starts real MCP servers, and the real registry program, on loopback for tests.
//
// [Start] runs one of the [Families]: servers that we wrote on the SDKs that most of the world uses, with the versions
// pinned in node/package-lock.json and gopeer/go.mod. Each has the same three tools: add_numbers, which declares an
// outputSchema, read_note, which declares itself read-only, and delete_note, which declares that it is not. What every
// family answers is in the table, as it was observed on the wire.
//
// [StartRegistry] runs the official registry program on a Postgres server of its own.
//
// Packages and programs are installed once, under a lock, into $MCPCENSUS_PEER_CACHE or mcpcensus/peers in the user's
// cache directory. Where Node or the network is missing the test is skipped, unless MCPCENSUS_REQUIRE_PEERS is set:
// then it fails.
package peer
