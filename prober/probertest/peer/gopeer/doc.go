// Command gopeer is an MCP server on one of the two Go SDKs, for tests. It is a module of its own, so that the project
// does not depend on them.
//
//	gopeer go-sdk-stateful|go-sdk-stateless|go-sdk-sse|mcp-go|mcp-go-sse PORT
package main
