//go:build unix

package peer

import (
	"net/http"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Name names a family, such as "typescript-v1-new".
type Name string

// The families.
const (
	TypeScriptV1New       Name = "typescript-v1-new"       // official SDK v1 1.32.2, with sessions
	TypeScriptV1Stateless Name = "typescript-v1-stateless" // the same without sessions
	TypeScriptV1NewSSE    Name = "typescript-v1-new-sse"
	TypeScriptV1Old       Name = "typescript-v1-old" // official SDK v1 1.20.2, before unknown tools became tool errors
	TypeScriptV1OldSSE    Name = "typescript-v1-old-sse"
	TypeScriptV2          Name = "typescript-v2" // official SDK v2 2.4.0, both eras
	FastMCP               Name = "fastmcp"       // fastmcp 4.20.16
	FastMCPSSE            Name = "fastmcp-sse"
	MCPFramework          Name = "mcp-framework" // mcp-framework 0.2.22
	MCPFrameworkSSE       Name = "mcp-framework-sse"
	Everything            Name = "server-everything" // the reference server 2026.8.31
	EverythingSSE         Name = "server-everything-sse"
	GoSDKStateful         Name = "go-sdk-stateful" // official Go SDK v1.8.0
	GoSDKStateless        Name = "go-sdk-stateless"
	GoSDKSSE              Name = "go-sdk-sse"
	MCPGo                 Name = "mcp-go" // mark3labs/mcp-go v1.2.1
	MCPGoSSE              Name = "mcp-go-sse"
)

// UnknownTool is how a family answers the call of a tool that it does not have.
type UnknownTool struct {
	Label  string // class of the mechanism, such as "protocol_-32602" or "tool_error"
	Status int    // HTTP status that carries it
}

// Family is one kind of real server, with what is known of it.
type Family struct {
	Name      Name
	Transport wire.Transport
	Path      string // of the endpoint
	Legacy    bool
	Modern    bool
	// DiscoverOnLegacy: it answers server/discover with legacy revisions only.
	DiscoverOnLegacy bool
	Revision         string // settled by an initialize that offers 2025-11-25
	Sessions         bool   // it gives an Mcp-Session-Id
	DeleteStatus     int    // HTTP status of DELETE with the session; 0 over HTTP+SSE
	UnknownTool      map[wire.Era]UnknownTool
	OwnTools         bool // it lists tools of its own instead of our three

	node []string // arguments of node; "{port}" is replaced
	env  []string // further environment of node
	gopr string   // argument of gopeer
}

func legacyOnly(label string) map[wire.Era]UnknownTool {
	return map[wire.Era]UnknownTool{wire.Legacy: {label, http.StatusOK}}
}

func bothEras(modernStatus int) map[wire.Era]UnknownTool {
	return map[wire.Era]UnknownTool{
		wire.Legacy: {"protocol_-32602", http.StatusOK},
		wire.Modern: {"protocol_-32602", modernStatus},
	}
}

// Families returns the table.
func Families() []Family {
	const newest = wire.OfferLegacy
	everything := []string{"--import", "./loopback.mjs", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"}
	streamable := []Family{
		{Name: TypeScriptV1New, Sessions: true, DeleteStatus: 200, UnknownTool: legacyOnly("tool_error"), node: []string{"typescript-v1.mjs", "sdk-v1-new", "http", "{port}"}},
		{Name: TypeScriptV1Stateless, DeleteStatus: 200, UnknownTool: legacyOnly("tool_error"), node: []string{"typescript-v1.mjs", "sdk-v1-new", "stateless", "{port}"}},
		{Name: TypeScriptV1Old, Revision: "2025-06-18", Sessions: true, DeleteStatus: 200, UnknownTool: legacyOnly("protocol_-32602"), node: []string{"typescript-v1.mjs", "sdk-v1-old", "http", "{port}"}},
		{Name: TypeScriptV2, Modern: true, DeleteStatus: 405, UnknownTool: bothEras(200), node: []string{"typescript-v2.mjs", "{port}"}},
		{Name: FastMCP, Sessions: true, DeleteStatus: 200, UnknownTool: legacyOnly("protocol_-32601"), node: []string{"fastmcp.mjs", "{port}"}},
		{Name: MCPFramework, Sessions: true, DeleteStatus: 200, UnknownTool: legacyOnly("protocol_-32603"), node: []string{"mcp-framework.mjs", "http-stream", "{port}"}},
		{Name: Everything, Sessions: true, DeleteStatus: 200, UnknownTool: legacyOnly("tool_error"), OwnTools: true, node: append(everything[:3:3], "streamableHttp"), env: []string{"PORT={port}"}},
		{Name: GoSDKStateful, DiscoverOnLegacy: true, Sessions: true, DeleteStatus: 204, UnknownTool: legacyOnly("protocol_-32602"), gopr: "go-sdk-stateful"},
		{Name: GoSDKStateless, Modern: true, DeleteStatus: 405, UnknownTool: bothEras(400), gopr: "go-sdk-stateless"},
		{Name: MCPGo, Modern: true, Sessions: true, DeleteStatus: 200, UnknownTool: bothEras(400), gopr: "mcp-go"},
	}
	sse := []Family{
		{Name: TypeScriptV1NewSSE, UnknownTool: legacyOnly("tool_error"), node: []string{"typescript-v1.mjs", "sdk-v1-new", "sse", "{port}"}},
		{Name: TypeScriptV1OldSSE, Revision: "2025-06-18", UnknownTool: legacyOnly("protocol_-32602"), node: []string{"typescript-v1.mjs", "sdk-v1-old", "sse", "{port}"}},
		{Name: FastMCPSSE, UnknownTool: legacyOnly("protocol_-32601"), node: []string{"fastmcp.mjs", "{port}"}},
		{Name: MCPFrameworkSSE, UnknownTool: legacyOnly("protocol_-32603"), node: []string{"mcp-framework.mjs", "sse", "{port}"}},
		{Name: EverythingSSE, UnknownTool: legacyOnly("tool_error"), OwnTools: true, node: append(everything[:3:3], "sse"), env: []string{"PORT={port}"}},
		{Name: GoSDKSSE, UnknownTool: legacyOnly("protocol_-32602"), gopr: "go-sdk-sse"},
		{Name: MCPGoSSE, UnknownTool: legacyOnly("protocol_-32602"), gopr: "mcp-go-sse"},
	}
	for i := range streamable {
		streamable[i].Transport, streamable[i].Path = wire.StreamableHTTP, "/mcp"
	}
	for i := range sse {
		sse[i].Transport, sse[i].Path = wire.HTTPSSE, "/sse"
	}
	all := append(streamable, sse...)
	for i := range all {
		all[i].Legacy = true
		if all[i].Revision == "" {
			all[i].Revision = newest
		}
	}
	return all
}

// ToolNames are the tools of every family but those with OwnTools, sorted.
func ToolNames() []string { return []string{"add_numbers", "delete_note", "read_note"} }
