package classifier

import (
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Answer is the value of a finding. There are six, because a denominator needs to know why a unit has no verdict.
type Answer string

// The answers.
const (
	True          Answer = "true"
	False         Answer = "false"
	NotApplicable Answer = "not_applicable" // the question does not arise for this unit: outside the denominator
	NotAvailable  Answer = "not_available"  // the unit did not show it: missing, bounded by the worst cases
	NotSupported  Answer = "not_supported"  // the classifier cannot read what the unit sent
	Error         Answer = "error"          // our own fault
)

// Finding is the answer to one question about one unit.
type Finding struct {
	Question string // id from def.yml, such as "unknown_tool.tool_error"
	Tool     int    // position of the tool in the list of record, from 1; 0 when the unit is the endpoint
	ToolName string // name of that tool as sent (valid UTF-8, NUL and invalid bytes replaced); empty for endpoints
	Answer   Answer
	Label    string // the class or value behind the answer, such as "protocol_-32602" or "2025-11-25"; may be empty
	Reason   string // for answers other than true and false: a word from a closed list of def.yml
	Evidence []int  // Seq of the exchanges that show it, ascending
}

// Question is what a def.yml says of one question.
type Question struct {
	ID       string `yaml:"id"`
	Question string `yaml:"question"` // can be answered by true or false
	Unit     string `yaml:"unit"`     // "endpoint" or "tool"
	// Kind is "field" for questions that read a member of a message over every unit, "heuristic" for the others: those
	// are published as unaudited until an audit of this very version exists.
	Kind string `yaml:"kind"`
	// Numerator and Denominator say in words what is counted.
	Numerator   string   `yaml:"numerator"`
	Denominator string   `yaml:"denominator"`
	Noun        string   `yaml:"noun"`    // plural of what stands in the denominator, for the rendered line: "responding endpoints"
	Labels      []string `yaml:"labels"`  // closed list of labels; empty when labels are free (such as revisions)
	Reasons     []string `yaml:"reasons"` // closed list of reasons, beside the shared ones
	// Source is where the rule of this question stands, when the questions of a classifier have different ones.
	Source string `yaml:"source" json:",omitempty"`
	// HeuristicLabels are those of Labels that a guess tells apart from the others: counts of them are unaudited also
	// when the question itself is of kind "field".
	HeuristicLabels []string `yaml:"heuristic_labels"`
}

// Definition is a def.yml.
type Definition struct {
	Name       string      `yaml:"name"`
	Version    int         `yaml:"version"` // raised with every change that can change a finding
	Summary    string      `yaml:"summary"`
	Definition string      `yaml:"definition"` // the rule, in words
	Source     string      `yaml:"source"`     // where the rule comes from
	Reads      []wire.Step `yaml:"reads"`      // steps whose exchanges it reads; its evidence hash covers these
	Questions  []Question  `yaml:"questions"`
}

// Classifier is one classifier of the suite.
type Classifier struct {
	Definition
	// Classify returns exactly one finding for each question about the endpoint, and one for each tool of the list of
	// record for each question about tools. It must not keep or change the transcript.
	Classify func(*wire.Transcript) []Finding
}
