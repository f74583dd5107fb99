// Package world simulates what a census looks at, with a truth that is known beforehand: a registry ([Registry]), a
// fleet of MCP servers on loopback ([World]), and what a correct census must report of them ([Truth]).
//
// The truth is derived from the declarations of the world, never by asking the servers or the classifiers: a server
// that was declared with three tools has three tools. So a census of a world that reports anything else is wrong.
//
// The registry also serves rows that come from elsewhere ([ReadRows]), and can be changed while somebody walks it.
package world
