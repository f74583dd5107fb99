package probertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// modern answers a POST in the modern era, as 2026-07-28 says: basic/index, versioning, transports/streamable-http.
func (h *Handler) modern(q *request) answer {
	s := &h.server
	if q.id == nil {
		return answer{status: http.StatusAccepted}
	}
	if q.method == "initialize" { // a legacy client at a server that is modern alone: name the versions
		return versionError(q, s, text(q.params["protocolVersion"]))
	}
	_, version := q.meta[metaVersion]
	_, capabilities := q.meta[metaCapabilities]
	if !version || !capabilities {
		return errorAnswer(q, http.StatusBadRequest, -32602, "Invalid params: _meta lacks "+metaVersion+" or "+metaCapabilities, "")
	}
	if fault := mismatch(q); fault != "" {
		return errorAnswer(q, http.StatusBadRequest, -32020, "Header mismatch: "+fault, "")
	}
	if !slices.Contains(s.revisions(wire.Modern), q.metaVersion()) {
		return versionError(q, s, q.metaVersion())
	}
	switch q.method {
	case "server/discover":
		return resultAnswer(q, s.discoverResult())
	case "tools/list":
		return h.listTools(q, wire.Modern)
	case "tools/call":
		return h.callTool(q, wire.Modern)
	}
	return errorAnswer(q, http.StatusNotFound, -32601, "Method not found: "+q.method, "")
}

// mismatch names the header that is missing or says something else than the body.
func mismatch(q *request) string {
	switch {
	case q.header("Mcp-Protocol-Version") != q.metaVersion():
		return "MCP-Protocol-Version"
	case q.header("Mcp-Method") != q.method:
		return "Mcp-Method"
	case q.method == "tools/call" && q.decodedName() != q.tool():
		return "Mcp-Name"
	}
	return ""
}

func (s *Server) discoverResult() string {
	return fmt.Sprintf(`{"resultType":"complete","supportedVersions":%s,"capabilities":%s,`+
		`"_meta":{"io.modelcontextprotocol/serverInfo":%s},"ttlMs":60000,"cacheScope":"public"}`,
		quoteAll(s.supported()), s.capabilities(), s.info())
}

func (s *Server) info() string { return orElse(s.Info, `{"name":"probertest","version":"1.0"}`) }

func (s *Server) capabilities() string { return orElse(s.Capabilities, `{"tools":{}}`) }

// complete gives a result the members that the modern era requires, unless it has its own.
func complete(result string, members ...string) string {
	body, isObject := strings.CutPrefix(result, "{")
	if !isObject {
		return result
	}
	var prefix []string
	for _, m := range members {
		key, _, _ := strings.Cut(m, ":")
		if !strings.Contains(result, key+":") {
			prefix = append(prefix, m)
		}
	}
	if len(prefix) == 0 {
		return result
	}
	joined := "{" + strings.Join(prefix, ",")
	if strings.TrimSpace(body) != "}" {
		joined += ","
	}
	return joined + body
}

const resultComplete = `"resultType":"complete"`
