package prober

import (
	"context"
	"encoding/json"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// maxCursor is the longest cursor that is sent back, in bytes.
const maxCursor = 64 << 10

// survey asks what the census is about: the tools, a tool that cannot exist, and the calls that the operator allows.
// Without a completed handshake it asks for one page of tools. A server can guess the name of the tool that cannot exist:
// when it lists one of that name, this is a tool like any other, and not called.
func (v *visit) survey(ctx context.Context, s *session) {
	tools := v.list(ctx, s)
	if v.stopped || !s.complete {
		return
	}
	if !tools.has(v.unknown) {
		if _, restarted := v.askInSession(ctx, s, v.callUnknown(s)); restarted {
			v.ask(ctx, s, v.callUnknown(s))
		}
	}
	for i, c := range v.target.Calls {
		if v.stopped {
			return
		}
		q := v.callTool(s, c.Tool, c.Arguments)
		q.id = s.ids.call + i + 1
		if s.era == wire.Modern {
			q.header = s.arguments[c.Tool].fields(c.Arguments)
		}
		v.ask(ctx, s, q)
	}
}

// list asks for the pages of tools/list until one has no cursor, no tool with a new name, or a cursor that was sent
// before, or until a cap is reached, and returns the list. A session that is begun again may complete the handshake that the first one did not.
func (v *visit) list(ctx context.Context, s *session) *toolList {
	seen := newToolList(v.target.Calls)
	var cursor json.RawMessage
	for page := 1; page == 1 || s.complete && page <= v.limits.Pages; page++ {
		reply, restarted := v.askInSession(ctx, s, v.listTools(s, page, cursor))
		if restarted { // cursors do not outlive a session
			seen, cursor, page = newToolList(v.target.Calls), nil, 0
			continue
		}
		if v.stopped || reply.Answer == nil || reply.Answer.Type != wire.TypeResult {
			break
		}
		next, more := seen.add(reply.Answer.Result)
		if !more || len(seen.names) >= v.limits.Tools {
			break
		}
		cursor = next
	}
	s.arguments = seen.arguments
	return seen
}

// toolList is what the prober remembers of a list.
type toolList struct {
	names     map[string]bool
	cursors   map[string]bool
	arguments map[string]headerPaths // of the tools that may be called
}

func newToolList(calls []Call) *toolList {
	l := &toolList{names: map[string]bool{}, cursors: map[string]bool{}, arguments: map[string]headerPaths{}}
	for _, c := range calls {
		l.arguments[c.Tool] = nil
	}
	return l
}

func nameKey(name string) string { return "name " + name }

// has says whether a tool of that name was listed.
func (l *toolList) has(name string) bool { return l.names[nameKey(name)] }

// add reads one page and returns the cursor of the next, if it is worth asking for.
func (l *toolList) add(raw json.RawMessage) (cursor json.RawMessage, more bool) {
	result, _, err := wire.ReadObject(raw)
	if err != nil {
		return nil, false
	}
	tools, _ := result.Get("tools")
	entries, err := wire.ReadArray(tools)
	if err != nil {
		return nil, false
	}
	fresh := false
	for _, entry := range entries {
		fresh = l.addTool(entry) || fresh
	}
	cursor, _ = result.Get("nextCursor")
	text, isText := wire.ReadString(cursor)
	if !isText || !fresh || l.cursors[text] || len(cursor) > maxCursor {
		return nil, false
	}
	l.cursors[text] = true
	return cursor, true
}

// addTool says whether the entry has a name that was not there before; an entry without one stands for itself.
func (l *toolList) addTool(entry json.RawMessage) bool {
	key := "entry " + string(entry)
	if tool, _, err := wire.ReadObject(entry); err == nil {
		raw, _ := tool.Get("name")
		if name, ok := wire.ReadString(raw); ok {
			key = nameKey(name)
			if _, wanted := l.arguments[name]; wanted {
				schema, _ := tool.Get("inputSchema")
				l.arguments[name] = readHeaderPaths(schema)
			}
		}
	}
	if l.names[key] {
		return false
	}
	l.names[key] = true
	return true
}
