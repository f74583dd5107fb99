package unknowntool

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// The labels of results.
const (
	toolError        = "tool_error"
	wrappedProtocol  = "tool_error_wrapped_protocol"
	flaglessError    = "success_flagless_error_text"
	successOther     = "success_other"
	successEmpty     = "success_empty"
	malformedResult  = "malformed_result"
	inputRequired    = "input_required"
	task             = "task"
	contentTypeText  = "text"
	resultIsComplete = "complete"
)

// The two guesses by text, as def.yml describes them.
var (
	wrappedForm = regexp.MustCompile(`^MCP error -?\d+:`)
	errorWords  = regexp.MustCompile(`(?i)\b(unknown tool|unknown function|no such tool|not found|does not exist|` +
		`doesn't exist|not exist|invalid tool|unrecognized|unsupported|not supported|not available|error|failed|failure)\b`)
)

// readResult finds the mechanism of a result.
func (o *observation) readResult(m *wire.Message, era wire.Era) {
	o.mechanism = malformedResult
	result, _, err := wire.ReadObject(m.Result)
	if err != nil || slices.Contains(m.Flaws, wire.NestedEnvelope) {
		return
	}
	if result.Duplicated("isError") {
		o.answer, o.reason, o.mechanism = classifier.NotSupported, classifier.DuplicateKey, ""
		return
	}
	flag, flagged := result.Get("isError")
	isError, isBool := wire.ReadBool(flag)
	texts, wellFormed := readContent(result)
	if isError {
		o.toolError, o.mechanism = true, toolError
		if slices.ContainsFunc(texts, wrappedForm.MatchString) {
			o.mechanism = wrappedProtocol
		}
		return
	}
	if kind := unfinished(result, era); kind != "" {
		o.mechanism = kind
		return
	}
	if flagged && !isBool || !wellFormed {
		return
	}
	o.mechanism = success(result, texts)
}

// unfinished recognises results that are no final answer, and result types that nobody knows.
func unfinished(result wire.Object, era wire.Era) string {
	if era == wire.Legacy {
		// CreateTaskResult of 2025-11-25: a task, and no content.
		raw, _ := result.Get("task")
		if _, hasContent := result.Get("content"); !hasContent && wire.KindOf(raw) == wire.KindObject {
			return task
		}
		return ""
	}
	raw, present := result.Get("resultType")
	kind, _ := wire.ReadString(raw)
	switch {
	case !present, kind == resultIsComplete: // absent must be read as complete
		return ""
	case kind == inputRequired, kind == task:
		return kind
	}
	return malformedResult
}

func success(result wire.Object, texts []string) string {
	raw, _ := result.Get("content")
	content, _ := wire.ReadArray(raw)
	_, structured := result.Get("structuredContent")
	switch {
	case slices.ContainsFunc(texts, errorWords.MatchString):
		return flaglessError
	case len(content) == 0 && !structured:
		return successEmpty
	}
	return successOther
}

// readContent returns the texts of the content, and whether it is an array of objects that have a type, where those of
// type text have a text.
func readContent(result wire.Object) (texts []string, wellFormed bool) {
	raw, _ := result.Get("content")
	blocks, err := wire.ReadArray(raw)
	wellFormed = err == nil
	for _, block := range blocks {
		text, isText, ok := readBlock(block)
		wellFormed = wellFormed && ok
		if isText {
			texts = append(texts, text)
		}
	}
	return texts, wellFormed
}

func readBlock(raw json.RawMessage) (text string, isText, wellFormed bool) {
	block, _, err := wire.ReadObject(raw)
	if err != nil {
		return "", false, false
	}
	value, _ := block.Get("type")
	kind, typed := wire.ReadString(value)
	if kind != contentTypeText {
		return "", false, typed
	}
	value, _ = block.Get("text")
	text, isText = wire.ReadString(value)
	return text, isText, isText
}
