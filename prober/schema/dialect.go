package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The dialects of JSON Schema that can be checked. Their order is that of their age.
const (
	Draft04     = "draft-04"
	Draft06     = "draft-06"
	Draft07     = "draft-07"
	Draft201909 = "2019-09"
	Draft202012 = "2020-12"
)

// DefaultDialect is that of a schema without $schema (MCP 2025-11-25 and later, basic/index, Schema Dialect).
const DefaultDialect = Draft202012

// dialect is a dialect with what the walk needs to know of it.
type dialect struct {
	name string
	age  int    // position in dialects, from 0
	uri  string // of the metaschema, without scheme and without "#"
	id   string // keyword that names a resource
}

var dialects = []dialect{
	{name: Draft04, age: 0, uri: "json-schema.org/draft-04/schema", id: "id"},
	{name: Draft06, age: 1, uri: "json-schema.org/draft-06/schema", id: "$id"},
	{name: Draft07, age: 2, uri: "json-schema.org/draft-07/schema", id: "$id"},
	{name: Draft201909, age: 3, uri: "json-schema.org/draft/2019-09/schema", id: "$id"},
	{name: Draft202012, age: 4, uri: "json-schema.org/draft/2020-12/schema", id: "$id"},
}

// The ages from which a rule holds.
const (
	age06     = 1
	age07     = 2
	age201909 = 3
	age202012 = 4
)

// Dialects returns the names of the dialects that can be checked, oldest first.
func Dialects() []string {
	names := make([]string, 0, len(dialects))
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return names
}

func dialectNamed(name string) (dialect, bool) {
	for _, d := range dialects {
		if d.name == name {
			return d, true
		}
	}
	return dialect{}, false
}

// dialectOf finds the dialect that a $schema names. The scheme may be http or https, and one empty fragment at the end
// makes no difference: servers write every mixture of these.
func dialectOf(uri string) (dialect, bool) {
	uri = strings.TrimSuffix(uri, "#")
	rest, ok := strings.CutPrefix(uri, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(uri, "http://"); !ok {
			return dialect{}, false
		}
	}
	for _, d := range dialects {
		if d.uri == rest {
			return d, true
		}
	}
	return dialect{}, false
}

// metaschemas compiles the metaschemas when they are first needed. They come with the library: nothing is loaded.
var metaschemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	compiling := true
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		if !compiling {
			return nil, nil // format "regex" of the schema at hand: ECMA expressions, which are not judged
		}
		return regexp.Compile(pattern)
	})
	for _, name := range []string{"uri", "uriref", "uri-reference"} { // asserted up to draft-07 unless replaced
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	all := map[string]*jsonschema.Schema{}
	for _, d := range dialects {
		scheme := "http://"
		if d.age >= age201909 {
			scheme = "https://"
		}
		all[d.name] = c.MustCompile(scheme + d.uri)
	}
	compiling = false // before anybody else can see the engine
	return all
})

// noLoader refuses every address.
type noLoader struct{}

var errNothingIsLoaded = errors.New("schemas are never loaded")

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%w: %.80q", errNothingIsLoaded, url)
}
