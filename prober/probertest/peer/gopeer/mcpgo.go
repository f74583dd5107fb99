package main

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcpGoServer has the tools that every peer has.
func mcpGoServer() *server.MCPServer {
	s := server.NewMCPServer("peer", "1.0.0", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("add_numbers", mcp.WithDescription("Adds two numbers."),
		mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()), mcp.WithOutputSchema[sum]()),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(sum{r.GetFloat("a", 0) + r.GetFloat("b", 0)}), nil
		})
	s.AddTool(mcp.NewTool("read_note", mcp.WithDescription("Reads the note."), mcp.WithReadOnlyHintAnnotation(true)), answer("a note"))
	s.AddTool(mcp.NewTool("delete_note", mcp.WithDescription("Deletes the note."), mcp.WithReadOnlyHintAnnotation(false)), answer("deleted"))
	return s
}

func answer(text string) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(text), nil
	}
}

func mcpGo() http.Handler {
	return server.NewStreamableHTTPServer(mcpGoServer(), server.WithStateful(true))
}

func mcpGoOverSSE() http.Handler { return server.NewSSEServer(mcpGoServer()) }
