package target

import (
	"github.com/mcpcensus/mcpcensus/crawler/registry"
)

// maxChoices is how many URLs a template may stand for.
const maxChoices = 8

// expand fills in a template: each variable by its fixed value, else its default, else each of its choices. It returns
// nothing when a variable has none of these, when it is a secret (a value that was published by mistake is not for us
// to use), or when there are more than maxChoices results.
func expand(text string, variables []registry.Input) []string {
	byName := map[string]registry.Input{}
	for _, v := range variables {
		if _, again := byName[v.Name]; !again {
			byName[v.Name] = v
		}
	}
	results := []string{text}
	for _, name := range variableNames(text) {
		values := values(byName[name])
		if len(values) == 0 || len(values)*len(results) > maxChoices {
			return nil
		}
		var filled []string
		for _, r := range results {
			for _, v := range values {
				filled = append(filled, replaceVariable(r, name, v))
			}
		}
		results = filled
	}
	for _, r := range results {
		if variable.MatchString(r) {
			return nil // a value that is a template again
		}
	}
	return results
}

func values(v registry.Input) []string {
	var list []string
	switch {
	case v.Secret:
	case v.Value != nil:
		list = []string{*v.Value}
	case v.Default != nil:
		list = []string{*v.Default}
	default:
		list = v.Choices
	}
	for _, s := range list {
		if s == "" {
			return nil
		}
	}
	return list
}

// variableNames returns the names in a template, each once, in order.
func variableNames(text string) []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			names = append(names, m[1])
		}
	}
	return names
}

func replaceVariable(text, name, value string) string {
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		if variable.FindStringSubmatch(match)[1] == name {
			return value
		}
		return match
	})
}
