package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// describe tells the first places at which the metaschema was not met. The library visits members in no fixed order, so
// the leaves of its error are sorted by place.
func describe(err error) []string {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return []string{": " + cut(err.Error())}
	}
	leaves := leavesOf(failed)
	slices.SortStableFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	english := message.NewPrinter(language.English)
	var told []string
	for len(leaves) > 0 && len(told) < maxErrors {
		place := leaves[0].InstanceLocation
		var texts []string
		for len(leaves) > 0 && slices.Equal(leaves[0].InstanceLocation, place) {
			texts = append(texts, cut(leaves[0].ErrorKind.LocalizedString(english)))
			leaves = leaves[1:]
		}
		slices.Sort(texts)
		told = append(told, pointerOf(place)+": "+cut(strings.Join(slices.Compact(texts), ", or ")))
	}
	return told
}

// leavesOf returns the errors that have no causes. Where none of several forms fits, those that fail further inside say
// more than those that fail at once.
func leavesOf(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var leaves []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		leaves = append(leaves, leavesOf(cause)...)
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		inside := func(leaf *jsonschema.ValidationError) bool {
			return len(leaf.InstanceLocation) > len(e.InstanceLocation)
		}
		if slices.ContainsFunc(leaves, inside) {
			leaves = slices.DeleteFunc(leaves, func(leaf *jsonschema.ValidationError) bool { return !inside(leaf) })
		}
	}
	return leaves
}
