package classifier

import (
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Writes says for one tool whether it writes, in the three ways that are never mixed (see the definition of write_tool).
type Writes struct {
	Annotated bool   // annotations.readOnlyHint is false
	Default   bool   // readOnlyHint is not true, as the specification's default has it
	Verb      string // the verb that the name begins with, when readOnlyHint is neither true nor false
	Hint      string // what readOnlyHint is: "true", "false", "absent" or "not_boolean"
	// Ambiguous: annotations, or readOnlyHint in it, stands twice, so that readers disagree.
	Ambiguous bool
}

// ReadWrites reads the annotations and the name of a tool. Keys are exact.
func ReadWrites(tool Tool) Writes {
	var w Writes
	raw, _ := tool.Object.Get("annotations")
	annotations, _, _ := wire.ReadObject(raw) // anything but an object has no hint
	w.Ambiguous = tool.Object.Duplicated("annotations") || annotations.Duplicated("readOnlyHint")
	hint, present := annotations.Get("readOnlyHint")
	readOnly, isBool := wire.ReadBool(hint)
	switch {
	case isBool && readOnly:
		w.Hint = "true"
	case isBool:
		w.Hint = "false"
	case present:
		w.Hint = "not_boolean"
	default:
		w.Hint = "absent"
	}
	w.Annotated = w.Hint == "false"
	w.Default = w.Hint != "true"
	if !isBool {
		w.Verb = WriteVerb(string(tool.RawName))
	}
	return w
}

// writeVerbs are the verbs that say of a tool that it changes something, sorted.
var writeVerbs = []string{
	"add", "append", "apply", "approve", "archive", "assign", "cancel", "clear", "close", "commit", "configure", "create",
	"delete", "deploy", "disable", "edit", "enable", "execute", "import", "insert", "install", "invite", "merge", "modify",
	"move", "patch", "post", "publish", "push", "put", "register", "remove", "rename", "replace", "reset", "revoke", "save",
	"send", "set", "submit", "update", "upload", "upsert", "write",
}

// WriteVerbs returns the verbs, sorted. The published list is compared with it by a test.
func WriteVerbs() []string { return slices.Clone(writeVerbs) }

// WriteVerb returns the verb that the name begins with, when "_", "-" or an ASCII capital follows it. The verb may begin
// with a capital itself: "CreateIssue".
func WriteVerb(name string) string {
	for _, verb := range writeVerbs {
		if len(name) <= len(verb) || name[1:len(verb)] != verb[1:] || strings.ToLower(name[:1]) != verb[:1] {
			continue
		}
		if c := name[len(verb)]; c == '_' || c == '-' || 'A' <= c && c <= 'Z' {
			return verb
		}
	}
	return ""
}
