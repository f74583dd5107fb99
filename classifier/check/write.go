package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/redact"
)

// WriteJSON writes the result as one indented JSON object with its members in a fixed order. Characters that a terminal
// could obey are escaped.
func (r Result) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	if _, err := io.WriteString(w, redact.JSON(b.String())); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// WriteText writes the result for a person.
func (r Result) WriteText(w io.Writer) error {
	t := text{}
	t.line("%s", r.URL)
	t.line("")
	t.field("server", strings.TrimSpace(r.Server.Name+" "+r.Server.Version))
	for _, e := range r.Server.Eras {
		t.field(string(e.Era), e.describe())
	}
	t.field("tools", r.Server.Tools.describe())
	for _, e := range r.Server.Eras {
		if said := e.describeUnknownTool(); said != "" {
			t.field("unknown tool", said)
		}
	}
	t.line("")
	switch r.Verdict {
	case OK:
		t.line("nothing broken")
	case Unknown:
		t.line("could not tell: %s", explain(r.Why))
	case Broken:
		t.line("broken:")
		for _, rule := range r.Broken {
			t.rule(r, rule)
		}
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// text collects lines. Every argument may come from the wire.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) {
	t.WriteString(redact.Printable(fmt.Sprintf(format, args...)) + "\n")
}

func (t *text) field(name, value string) {
	if value == "" {
		value = "not given"
	}
	t.line("%-13s %s", name, value)
}

func (t *text) rule(r Result, rule Rule) {
	t.line("  %s: %s No.", rule.Rule, rule.Asks)
	for _, place := range rule.Places {
		t.line("    %s: %s (exchange %s)", place.Label, place.Detail, r.exchange(place.Exchange))
	}
	if more := rule.Total - len(rule.Places); more > 0 {
		t.line("    and %d more", more)
	}
	t.line("    rule: %s", rule.Source)
}

// exchange describes an exchange by its number.
func (r Result) exchange(seq int) string {
	for _, e := range r.Exchanges {
		if e.Seq != seq {
			continue
		}
		said := fmt.Sprintf("%d: %s %s", e.Seq, e.Era, e.Step)
		if e.Page > 1 {
			said += fmt.Sprintf(" page %d", e.Page)
		}
		if e.Status != 0 {
			said += fmt.Sprintf(", HTTP %d", e.Status)
		}
		return said
	}
	return strconv.Itoa(seq)
}

func (e Era) describe() string {
	switch {
	case e.Spoken == classifier.True && e.Says == classifier.LabelConforming:
		return fmt.Sprintf("%s over %s", e.Revision, e.Transport)
	case e.Spoken == classifier.True:
		return fmt.Sprintf("%s over %s (%s)", e.Revision, e.Transport, e.Says)
	case e.Spoken == classifier.False:
		return fmt.Sprintf("not spoken (%s)", e.Says)
	}
	return "could not tell: " + explain(e.Says)
}

func (e Era) describeUnknownTool() string {
	switch {
	case e.UnknownTool != "":
		said := fmt.Sprintf("%s: %s", e.Era, e.UnknownTool)
		if e.UnknownToolStatus != 0 {
			said += fmt.Sprintf(", HTTP %d", e.UnknownToolStatus)
		}
		return said
	case e.UnknownToolWhy != "":
		return fmt.Sprintf("%s: could not tell: %s", e.Era, explain(e.UnknownToolWhy))
	}
	return ""
}

func (t Tools) describe() string {
	if t.Listed != classifier.True {
		if t.Says == classifier.ReasonNoToolsCapability {
			return "none declared"
		}
		return fmt.Sprintf("no list (%s)", t.Says)
	}
	said := fmt.Sprintf("%s on %s, %d with an outputSchema", plural(t.Count, "tool"), plural(t.Pages, "page"), t.WithOutputSchema)
	if t.Malformed > 0 {
		said += fmt.Sprintf(", %d malformed", t.Malformed)
	}
	if !t.Complete {
		said += fmt.Sprintf(", list not complete (%s)", t.Ends)
	}
	return said
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// explain adds a sentence to a reason that needs one.
func explain(reason string) string {
	sentences := map[string]string{
		classifier.AuthRequired:    "the server asks for authorization",
		classifier.PaymentRequired: "the server asks for a payment",
		classifier.Forbidden:       "the server refuses us",
		classifier.RateLimited:     "the server asks us to come later",
		classifier.Unavailable:     "the server says that it is not available",
		classifier.GatewayError:    "a gateway answered for a server that did not",
		classifier.EdgeBlock:       "something in front of the server blocked the request",
		classifier.NoHandshake:     "it answered, but not as an MCP server does: no handshake was completed",
		classifier.ReasonNoList:    "tools/list was not answered by a list of tools",
		classifier.Budget:          "the visit used up its requests",
		classifier.Deferred:        "the server asks for a long pause",
		"list_incomplete":          "only a part of the list of tools was given",
		"connect.refused":          "nothing listens there",
		"resolve.not_found":        "the name does not exist",
		"policy.address":           "an address that this program never connects to",
		"policy.redirect":          "it redirects to where this program does not follow",
		"deadline":                 "the time of the visit was over",
	}
	if sentence, ok := sentences[reason]; ok {
		return fmt.Sprintf("%s (%s)", sentence, reason)
	}
	return reason
}
