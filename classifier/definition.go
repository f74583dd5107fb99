package classifier

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/wire"
	"gopkg.in/yaml.v3"
)

// The units of a question and the kinds.
const (
	UnitEndpoint  = "endpoint"
	UnitTool      = "tool"
	KindField     = "field"
	KindHeuristic = "heuristic"
)

// ErrDefinition is wrapped by every error about a def.yml.
var ErrDefinition = errors.New("def.yml is not valid")

var (
	nameForm     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	questionForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)
	wordForm     = regexp.MustCompile(`^[a-z0-9_.+-]+$`)
)

// steps are the steps that a classifier can read.
var steps = []wire.Step{
	wire.StepDiscover, wire.StepInitialize, wire.StepInitialized, wire.StepListTools, wire.StepUnknownTool,
	wire.StepCall, wire.StepOpenStream, wire.StepServerReply, wire.StepDelete,
}

// ParseDefinition reads a def.yml. Unknown and repeated members, missing texts and words outside their vocabulary are
// errors.
func ParseDefinition(yml []byte) (Definition, error) {
	var d Definition
	decoder := yaml.NewDecoder(bytes.NewReader(yml))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return Definition{}, fmt.Errorf("%w: %w", ErrDefinition, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Definition{}, fmt.Errorf("%w: something follows the first document", ErrDefinition)
	}
	if fault := d.fault(); fault != "" {
		return Definition{}, fmt.Errorf("%w: %s", ErrDefinition, fault)
	}
	return d, nil
}

// MustNew joins an embedded def.yml with its code. It panics when the def.yml is not valid, which the test of the suite
// finds for every classifier.
func MustNew(yml []byte, classify func(*wire.Transcript) []Finding) Classifier {
	d, err := ParseDefinition(yml)
	if err != nil {
		panic(err)
	}
	return Classifier{Definition: d, Classify: classify}
}

// Digest is a short hash of the definition: 12 hexadecimal digits.
func (d Definition) Digest() string {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // strings and integers only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// fault returns the first thing that is wrong, or nothing.
func (d Definition) fault() string {
	switch {
	case !nameForm.MatchString(d.Name):
		return fmt.Sprintf("name %q must be a lower-case word", d.Name)
	case d.Version < 1:
		return "version must be 1 or more"
	case d.Summary == "" || d.Definition == "" || d.Source == "":
		return "summary, definition and source must be given"
	case len(d.Reads) == 0 || len(d.Questions) == 0:
		return "reads and questions must be given"
	}
	for _, step := range d.Reads {
		if !slices.Contains(steps, step) {
			return fmt.Sprintf("reads names the unknown step %q", step)
		}
	}
	if again := repeated(d.Reads); again != "" {
		return fmt.Sprintf("reads names %q twice", again)
	}
	var ids []string
	for _, q := range d.Questions {
		if fault := q.fault(); fault != "" {
			return fmt.Sprintf("question %q: %s", q.ID, fault)
		}
		if !strings.HasPrefix(q.ID, d.Name+".") {
			return fmt.Sprintf("question %q must begin with %q", q.ID, d.Name+".")
		}
		ids = append(ids, q.ID)
	}
	if again := repeated(ids); again != "" {
		return fmt.Sprintf("question %q stands twice", again)
	}
	return ""
}

func (q Question) fault() string {
	switch {
	case !questionForm.MatchString(q.ID):
		return "the id must be lower-case words with dots"
	case !strings.HasSuffix(q.Question, "?"):
		return "the question must end with a question mark"
	case q.Unit != UnitEndpoint && q.Unit != UnitTool:
		return fmt.Sprintf("unit %q is neither endpoint nor tool", q.Unit)
	case q.Kind != KindField && q.Kind != KindHeuristic:
		return fmt.Sprintf("kind %q is neither field nor heuristic", q.Kind)
	case q.Numerator == "" || q.Denominator == "" || q.Noun == "":
		return "numerator, denominator and noun must be given"
	}
	for _, word := range slices.Concat(q.Labels, q.Reasons) {
		if !wordForm.MatchString(word) {
			return fmt.Sprintf("%q is no word for a label or a reason", word)
		}
	}
	for _, word := range q.Reasons {
		if slices.Contains(missingReasons, word) {
			return fmt.Sprintf("reason %q is a shared one and must not be listed", word)
		}
	}
	for _, word := range q.HeuristicLabels {
		if !slices.Contains(q.Labels, word) {
			return fmt.Sprintf("heuristic label %q is not a label", word)
		}
	}
	for _, list := range [][]string{q.Labels, q.Reasons, q.HeuristicLabels} {
		if again := repeated(list); again != "" {
			return fmt.Sprintf("%q stands twice in a list", again)
		}
	}
	return ""
}

// repeated returns the first element that stands in the list before, or the zero value.
func repeated[T ~string](list []T) T {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return v
		}
	}
	return ""
}
