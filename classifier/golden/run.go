package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/classifier"
)

var update = flag.Bool("update", false, "write the golden findings anew")

// Run classifies every testdata/*.transcript.json of the package under test and compares the findings with
// testdata/*.findings.json.
func Run(t *testing.T, c classifier.Classifier) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.transcript.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("testdata holds no *.transcript.json")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		transcript, err := Decode(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		findings := c.Classify(transcript)
		if err := classifier.Check(c, transcript, findings); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		got, err := encodeFindings(classifier.Run(c, transcript))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, strings.TrimSuffix(path, ".transcript.json")+".findings.json", got)
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the tests with -update to write it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", path, d)
	}
}

// Findings classifies a transcript, fails the test when the findings contradict the definition, and returns them by
// question; for a question about tools, by question and the name of the tool: "output_schema.declared/search".
func Findings(t *testing.T, c classifier.Classifier, s *Session) map[string]classifier.Finding {
	t.Helper()
	transcript := s.Transcript()
	findings := c.Classify(transcript)
	if err := classifier.Check(c, transcript, findings); err != nil {
		t.Error(err)
	}
	out := map[string]classifier.Finding{}
	for _, f := range findings {
		key := f.Question
		if f.Tool != 0 {
			key += "/" + f.ToolName
		}
		out[key] = f
	}
	return out
}

// Say writes a finding in short: the answer, then the label and the reason if there are any.
func Say(f classifier.Finding) string {
	text := string(f.Answer)
	for _, word := range []string{f.Label, f.Reason} {
		if word != "" {
			text += " " + word
		}
	}
	return text
}
