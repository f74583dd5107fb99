// Package report renders what a run found, for people and for programs: text, JSON, CSV, Markdown.
//
// A [Report] is plain data, made elsewhere from the stored rows of a run. Nothing is computed here, so that every
// rendering shows the same numbers.
package report
