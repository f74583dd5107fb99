// Package writetool asks of every tool whether it changes something: see def.yml.
//
// The annotation, the default of the specification and the verb of the name are three questions that are never mixed.
package writetool
