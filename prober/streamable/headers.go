package streamable

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/exchange"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

const (
	accept      = "application/json, text/event-stream"
	eventStream = "text/event-stream"
)

// postHeader is the header of a POST, in the order of the specification's examples.
func (c *Client) postHeader(call exchange.Call) wire.Header {
	h := wire.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: accept}}
	h = append(h, c.sessionHeader()...)
	if c.Era == wire.Modern {
		h = append(h, wire.Field{Name: "Mcp-Method", Value: call.Method})
		if call.Name != "" {
			h = append(h, wire.Field{Name: "Mcp-Name", Value: HeaderValue(call.Name)})
		}
	}
	return append(h, call.Header...)
}

// sessionHeader is what every request of a session carries.
func (c *Client) sessionHeader() wire.Header {
	var h wire.Header
	if c.Version != "" {
		h = append(h, wire.Field{Name: "MCP-Protocol-Version", Value: c.Version})
	}
	if c.Session != "" {
		h = append(h, wire.Field{Name: exchange.SessionHeader, Value: c.Session})
	}
	return h
}

// HeaderValue writes a value of Mcp-Name or Mcp-Param-*: as it is when it is plain ASCII, otherwise in the form
// =?base64?…?= (2026-07-28, basic/transports/streamable-http).
func HeaderValue(value string) string {
	if plain(value) {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

func plain(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	sentinel := strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?=")
	return value == strings.Trim(value, " ") && !sentinel
}

// SessionOf returns the session that a response to initialize gives: visible ASCII (2025-11-25, basic/transports).
// Anything else is no session.
func SessionOf(e *wire.Exchange) string {
	id, _ := e.ResponseHeader.Get(exchange.SessionHeader)
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7e {
			return ""
		}
	}
	return id
}

func isEventStream(e *wire.Exchange) bool {
	label, _ := e.ResponseHeader.Get("Content-Type")
	return e.Status == http.StatusOK && wire.IsEventStream(label, nil)
}
