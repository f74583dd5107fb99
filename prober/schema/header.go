package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The ways in which an x-mcp-header annotation breaks the rules of MCP 2026-07-28, basic/transports/streamable-http,
// Custom Headers from Tool Parameters. The list is closed.
const (
	HeaderNotText     = "header_not_text"    // the value is no string
	HeaderNotToken    = "header_not_token"   // empty, or no token (RFC 9110 §5.6.2)
	HeaderRepeated    = "header_repeated"    // equals another one when case is ignored
	HeaderType        = "header_type"        // the parameter is not of type string, integer or boolean
	HeaderUnreachable = "header_unreachable" // not reached from the root through properties alone
)

// HeaderFaults returns the closed list of the faults of x-mcp-header. Published lists are compared with it by tests.
func HeaderFaults() []string {
	return []string{HeaderNotText, HeaderNotToken, HeaderRepeated, HeaderType, HeaderUnreachable}
}

// HeaderFault is one annotation that breaks a rule.
type HeaderFault struct {
	Fault string // one of HeaderFaults
	Place string // JSON pointer of the parameter, cut
}

const headerKey = "x-mcp-header"

// CheckHeaders looks at every x-mcp-header annotation of an inputSchema. It returns how many there are, and a fault for
// each that breaks a rule, in a fixed order. A schema beyond the bounds of Check has none. References are not followed:
// an annotation behind one is unreachable where it stands.
func CheckHeaders(raw json.RawMessage) (annotations int, faults []HeaderFault) {
	root, _ := parse(raw)
	if root == nil {
		return 0, nil
	}
	h := headers{taken: map[string]bool{}}
	h.look(root, true, false)
	return h.found, h.faults
}

type headers struct {
	found  int
	taken  map[string]bool
	faults []HeaderFault
}

// look goes no deeper than wire.MaxDepth. reachable: the way from the root leads through properties alone; parameter:
// and n is the end of one.
func (h *headers) look(n *node, reachable, parameter bool) {
	if annotation, ok := n.members[headerKey]; ok {
		h.found++
		if fault := h.fault(n, annotation, reachable && parameter); fault != "" {
			h.faults = append(h.faults, HeaderFault{Fault: fault, Place: n.pointer()})
		}
	}
	for i, k := range keywords {
		value, ok := n.members[k.name]
		if !ok || slices.ContainsFunc(keywords[:i], func(earlier keyword) bool { return earlier.name == k.name }) {
			continue
		}
		for _, sub := range k.subschemasOf(value) {
			h.look(sub, reachable && k.name == "properties", true)
		}
	}
}

func (h *headers) fault(parameter, annotation *node, reachable bool) string {
	name, isText := annotation.value.(string)
	if !isText {
		return HeaderNotText
	}
	folded := strings.ToLower(name)
	repeated := h.taken[folded]
	h.taken[folded] = true
	switch {
	case !isToken(name):
		return HeaderNotToken
	case repeated:
		return HeaderRepeated
	case !reachable:
		return HeaderUnreachable
	case !isPrimitive(parameter.members["type"]):
		return HeaderType
	}
	return ""
}

// isToken: 1*tchar.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		isAlnum := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isAlnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return text != ""
}

// isPrimitive reads the type of a parameter: one of the three, or a list of these and null.
func isPrimitive(kind *node) bool {
	if kind == nil {
		return false
	}
	if kind.items == nil {
		return slices.Contains([]string{"string", "integer", "boolean"}, fmt.Sprint(kind.value))
	}
	some := false
	for _, item := range kind.items {
		isOne := isPrimitive(&node{value: item.value})
		some = some || isOne
		if !isOne && item.value != "null" {
			return false
		}
	}
	return some
}
