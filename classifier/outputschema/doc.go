// Package outputschema asks whether tools declare how their output looks: see def.yml.
//
// It asks of every tool, again of the tools that write by each of the three ways to tell them, and of the endpoint.
package outputschema
