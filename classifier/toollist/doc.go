// Package toollist asks whether an endpoint lists its tools, and how complete the list is: see def.yml.
//
// It publishes what [github.com/mcpcensus/mcpcensus/classifier.ListOfRecord] finds, which all questions about tools
// build on.
package toollist
