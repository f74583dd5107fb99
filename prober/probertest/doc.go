// Package probertest builds MCP servers for tests: well-behaved ones of both eras and both HTTP transports, and ones
// that misbehave in every way that has been seen in the wild.
//
// A [Server] is a description. [New] makes an http.Handler of it, [Start] serves that on loopback for one test. The
// handler behaves as the specification says, except where the description says otherwise: a [Mechanism] for the
// answer to an unknown tool, a [Paging] for the list, [Step] values for everything else. A step replaces the answer to
// chosen requests by literal bytes, with templates for what only the request knows ([Reply]). [Faults] and
// [Mechanisms] are the named ones.
//
// Nothing is random and nothing reads a clock but the log: equal requests in equal order get equal bytes. The log
// ([Handler.Log]) lets a test assert politeness: one request at a time, every session deleted, no call of a tool that
// exists.
package probertest
