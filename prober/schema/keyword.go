package schema

import (
	"maps"
	"slices"
)

// shape is how subschemas stand in the value of a keyword.
type shape int

const (
	one   shape = iota // the value is a schema
	many               // an array of schemas
	keyed              // an object of schemas, and for dependencies also of other things
	mixed              // a schema or an array of schemas
)

// keyword is a keyword that holds subschemas.
type keyword struct {
	name  string
	shape shape
	// same: the subschemas apply to the very value that the schema applies to, not to a part of it. A loop of these
	// never ends.
	same bool
	// from and to are the first and last age of the dialects that know it.
	from, to int
}

var keywords = []keyword{
	{name: "properties", shape: keyed, to: age202012},
	{name: "patternProperties", shape: keyed, to: age202012},
	{name: "additionalProperties", shape: one, to: age202012},
	{name: "definitions", shape: keyed, to: age202012},
	{name: "dependencies", shape: keyed, same: true, to: age07},
	{name: "allOf", shape: many, same: true, to: age202012},
	{name: "anyOf", shape: many, same: true, to: age202012},
	{name: "oneOf", shape: many, same: true, to: age202012},
	{name: "not", shape: one, same: true, to: age202012},
	{name: "items", shape: mixed, to: age201909},
	{name: "items", shape: one, from: age202012, to: age202012},
	{name: "additionalItems", shape: one, to: age201909},
	{name: "contains", shape: one, from: age06, to: age202012},
	{name: "propertyNames", shape: one, from: age06, to: age202012},
	{name: "if", shape: one, same: true, from: age07, to: age202012},
	{name: "then", shape: one, same: true, from: age07, to: age202012},
	{name: "else", shape: one, same: true, from: age07, to: age202012},
	{name: "$defs", shape: keyed, from: age201909, to: age202012},
	{name: "dependentSchemas", shape: keyed, same: true, from: age201909, to: age202012},
	{name: "unevaluatedItems", shape: one, from: age201909, to: age202012},
	{name: "unevaluatedProperties", shape: one, from: age201909, to: age202012},
	{name: "contentSchema", shape: one, from: age201909, to: age202012},
	{name: "prefixItems", shape: many, from: age202012, to: age202012},
}

// subschemasOf returns the schemas inside the value of a keyword, in a fixed order.
func (k keyword) subschemasOf(value *node) []*node {
	switch {
	case k.shape == one, k.shape == mixed && value.items == nil:
		return []*node{value}
	case k.shape == keyed:
		var list []*node
		for _, key := range slices.Sorted(maps.Keys(value.members)) {
			list = append(list, value.members[key])
		}
		return list
	}
	return value.items
}

// isSchema says whether the value can be a schema: an object or a boolean.
func (n *node) isSchema() bool {
	_, isBool := n.value.(bool)
	return isBool || n.members != nil
}

// text returns the string member of that name.
func (n *node) text(name string) (string, bool) {
	member, ok := n.members[name]
	if !ok {
		return "", false
	}
	value, ok := member.value.(string)
	return value, ok
}
