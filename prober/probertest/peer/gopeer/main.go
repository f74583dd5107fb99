package main

import (
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gopeer FAMILY PORT")
	}
	handlers := map[string]func() http.Handler{
		"go-sdk-stateful":  func() http.Handler { return goSDK(false) },
		"go-sdk-stateless": func() http.Handler { return goSDK(true) },
		"go-sdk-sse":       goSDKOverSSE,
		"mcp-go":           mcpGo,
		"mcp-go-sse":       mcpGoOverSSE,
	}
	handler, known := handlers[os.Args[1]]
	if !known {
		log.Fatalf("there is no family %q", os.Args[1])
	}
	server := &http.Server{
		Addr:              net.JoinHostPort("127.0.0.1", os.Args[2]),
		Handler:           handler(),
		ReadHeaderTimeout: time.Minute,
	}
	log.Fatal(server.ListenAndServe())
}
