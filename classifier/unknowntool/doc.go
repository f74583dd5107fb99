// Package unknowntool asks how an endpoint reports the call of a tool that does not exist: see def.yml.
//
// It tells mechanisms apart, by members of messages and never by their text, and calls none of them a fault.
package unknowntool
