package probertest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func (h *Handler) listTools(q *request, era wire.Era) answer {
	s := &h.server
	if s.ListResult != "" {
		return resultAnswer(q, inEra(s.ListResult, era))
	}
	cursor, present := q.params["cursor"]
	page, ok := s.page(text(cursor), present, h.nextPage())
	if !ok {
		status := http.StatusOK
		if era == wire.Modern {
			status = http.StatusBadRequest
		}
		return errorAnswer(q, status, -32602, "Invalid cursor", "")
	}
	return resultAnswer(q, inEra(page, era))
}

func inEra(result string, era wire.Era) string {
	if era == wire.Legacy {
		return result
	}
	return complete(result, resultComplete, `"ttlMs":60000`, `"cacheScope":"public"`)
}

// page is the raw result for a cursor; count is how many lists were asked before. It is false for a cursor that was
// never given.
func (s *Server) page(cursor string, present bool, count int) (string, bool) {
	switch s.Paging {
	case SameCursor:
		return listResult(s.Tools, `"again"`), true
	case CursorCycle:
		if cursor == "even" {
			return listResult(s.Tools, `"odd"`), true
		}
		return listResult(s.Tools, `"even"`), true
	case FreshCursor:
		return listResult(s.Tools, quote("cursor-"+strconv.Itoa(count+1))), true
	case NumberedCursor:
		return listResult(s.Tools, "2"), true
	case EndlessTools:
		return listResult([]Tool{{Name: fmt.Sprintf("tool_%d", count)}}, quote("cursor-"+strconv.Itoa(count+1))), true
	case EmptyIsReal:
		half := (len(s.Tools) + 1) / 2
		if present && cursor == "" {
			return listResult(s.Tools[half:], ""), true
		}
		return listResult(s.Tools[:half], `""`), !present
	}
	return s.plainPage(cursor)
}

func (s *Server) plainPage(cursor string) (string, bool) {
	first := 0
	if cursor != "" {
		offset, ours := strings.CutPrefix(cursor, "after-")
		n, err := strconv.Atoi(offset)
		if !ours || err != nil || n <= 0 || n >= len(s.Tools) {
			return "", false
		}
		first = n
	}
	last := len(s.Tools)
	if s.PageSize > 0 {
		last = min(first+s.PageSize, len(s.Tools))
	}
	switch {
	case last < len(s.Tools):
		return listResult(s.Tools[first:last], quote("after-"+strconv.Itoa(last))), true
	case s.Paging == EmptyAtEnd:
		return listResult(s.Tools[first:last], `""`), true
	case s.Paging == NullAtEnd:
		return listResult(s.Tools[first:last], "null"), true
	}
	return listResult(s.Tools[first:last], ""), true
}

// listResult has next as raw JSON, or "" for none.
func listResult(tools []Tool, next string) string {
	entries := make([]string, len(tools))
	for i, t := range tools {
		entries[i] = t.entry()
	}
	result := `{"tools":[` + strings.Join(entries, ",") + "]"
	if next != "" {
		result += `,"nextCursor":` + next
	}
	return result + "}"
}

func (t Tool) entry() string {
	if t.Raw != "" {
		return t.Raw
	}
	entry := `{"name":` + quote(t.Name)
	if t.Description != "" {
		entry += `,"description":` + quote(t.Description)
	}
	entry += `,"inputSchema":` + orElse(t.InputSchema, `{"type":"object"}`)
	if t.OutputSchema != "" {
		entry += `,"outputSchema":` + t.OutputSchema
	}
	if t.Annotations != "" {
		entry += `,"annotations":` + t.Annotations
	}
	return entry + "}"
}

func (h *Handler) callTool(q *request, era wire.Era) answer {
	s := &h.server
	for _, t := range s.Tools {
		if t.Name == q.tool() && t.Name != "" {
			result := orElse(t.Result, `{"content":[{"type":"text","text":"done"}]}`)
			if era == wire.Modern {
				result = complete(result, resultComplete)
			}
			return resultAnswer(q, result)
		}
	}
	m := s.UnknownTool
	if era == wire.Modern && s.ModernUnknownTool != nil {
		m = *s.ModernUnknownTool
	}
	return m.answer(q, era)
}
