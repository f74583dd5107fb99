// Package conformance asks of an endpoint, rule by rule, whether it kept what the specification demands: see def.yml.
//
// Only two kinds of rules are here: those that a text of the specification states with MUST, and members that its
// published schema requires. How a server reports an unknown tool is no such rule, and never a fault. Each rule is
// judged wherever the transcript shows it: it is broken when one answer breaks it, kept when at least one answer could
// have, and otherwise it has no answer. [Broken] says of each broken rule what was seen where.
package conformance
