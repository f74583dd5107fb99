package world

import (
	"fmt"
	"math/rand/v2"

	"github.com/mcpcensus/mcpcensus/prober/probertest"
)

// tool is one declared tool, with what is true of it.
type tool struct {
	name     string
	writes   bool  // its verb changes something
	readOnly *bool // readOnlyHint; nil when there is none
	output   bool  // declares an outputSchema
}

// Verbs of which nobody doubts what they do.
var (
	readingVerbs = []string{"get", "list", "search", "read"}
	writingVerbs = []string{"create", "delete", "update", "send"}
	nouns        = []string{"invoice", "issue", "customer", "page", "order", "message", "event", "file"}
)

// makeTools gives between 2 and 5 tools with names of their own.
func makeTools(random *rand.Rand, salt int) []tool {
	var tools []tool
	for i := range 2 + random.IntN(4) {
		t := tool{writes: random.IntN(2) == 0, output: random.IntN(3) == 0}
		verbs := readingVerbs
		if t.writes {
			verbs = writingVerbs
		}
		t.name = fmt.Sprintf("%s_%s", verbs[random.IntN(len(verbs))], nouns[(salt+i)%len(nouns)])
		if random.IntN(2) == 0 {
			readOnly := !t.writes
			t.readOnly = &readOnly
		}
		tools = append(tools, t)
	}
	return tools
}

func (t tool) declared() probertest.Tool {
	d := probertest.Tool{Name: t.name, Description: "Simulated tool " + t.name + ".", InputSchema: `{"type":"object","properties":{"id":{"type":"string"}}}`}
	if t.readOnly != nil {
		d.Annotations = fmt.Sprintf(`{"readOnlyHint":%t}`, *t.readOnly)
	}
	if t.output {
		d.OutputSchema = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
	}
	return d
}
