package prober

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// FORMAT.md names every word that package wire can put into a transcript or an answer, and every member.
func TestFormatIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	format := string(text)
	words := wireWords(t)
	if len(words) < 80 {
		t.Errorf("only %d words found in package wire", len(words))
	}
	for name, word := range words {
		if !strings.Contains(format, "`"+word+"`") {
			t.Errorf("FORMAT.md does not describe %q (wire.%s)", word, name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[wire.Transcript](), reflect.TypeFor[wire.Exchange](), reflect.TypeFor[wire.Field]()} {
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() && !strings.Contains(format, "`"+f.Name+"`") {
				t.Errorf("FORMAT.md does not describe the member %s.%s", of.Name(), f.Name)
			}
		}
	}
}

// The table of flaws is the vocabulary, no more and no less.
func TestFormatFlaws(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "### Flaws")
	if !found {
		t.Fatal("FORMAT.md has no section of flaws")
	}
	section, _, _ = strings.Cut(section, "\n#")
	var listed []wire.Flaw
	for line := range strings.Lines(section) {
		if word, ok := strings.CutPrefix(line, "| `"); ok {
			word, _, _ = strings.Cut(word, "`")
			listed = append(listed, wire.Flaw(word))
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, wire.Flaws()) {
		t.Errorf("FORMAT.md lists %v, the vocabulary is %v", listed, wire.Flaws())
	}
}

// wireWords returns the value of every exported string constant of package wire.
func wireWords(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				addWords(t, words, gen)
			}
		}
	}
	return words
}

func addWords(t *testing.T, words map[string]string, gen *ast.GenDecl) {
	t.Helper()
	for _, spec := range gen.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range value.Names {
			if i >= len(value.Values) || !name.IsExported() {
				continue
			}
			literal, ok := value.Values[i].(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			word, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			words[name.Name] = word
		}
	}
}

// The limits in FORMAT.md are those of the code.
func TestFormatLimits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	l := DefaultLimits()
	for row, is := range map[string]bool{
		"| whole visit | 60 s |": l.Deadline.Seconds() == 60,
		"| one request, from sending to the end of its response | 15 s |": l.Step.Seconds() == 15,
		"| response header | 10 s, 64 KiB |":                              l.Header.Seconds() == 10,
		"| response after the answer (linger) | 0.5 s |":                  l.Linger.Seconds() == 0.5,
		"| pause that a server may ask for within a visit | 10 s |":       l.Pause.Seconds() == 10,
		"| one body, as received and again decoded | 8 MiB |":             l.BodyBytes == 8<<20,
		"| events with data in one stream | 2,000 |":                      wire.MaxEvents == 2000,
		"| pages of one list; distinct names | 64; 5,000 |":               l.Pages == 64 && l.Tools == 5000,
	} {
		if !is || !strings.Contains(string(text), row) {
			t.Errorf("FORMAT.md and the code differ: %s", row)
		}
	}
}
