package main

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

// goSDKServer has the tools that every peer has.
func goSDKServer(*http.Request) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add_numbers", Description: "Adds two numbers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "read_note", Description: "Reads the note.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, say("a note"))
	destructive := true
	mcp.AddTool(server, &mcp.Tool{Name: "delete_note", Description: "Deletes the note.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &destructive}}, say("deleted"))
	return server
}

func say(text string) mcp.ToolHandlerFor[struct{}, any] {
	return func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
}

func goSDK(stateless bool) http.Handler {
	return mcp.NewStreamableHTTPHandler(goSDKServer, &mcp.StreamableHTTPOptions{Stateless: stateless})
}

func goSDKOverSSE() http.Handler { return mcp.NewSSEHandler(goSDKServer, nil) }
