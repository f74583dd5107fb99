// Command mcpcensus takes a census of the Model Context Protocol ecosystem: it walks a registry of MCP servers, visits
// every remote endpoint, stores what was said, and derives rates from it. One file holds one command; the work itself is
// done in the packages crawler, prober and classifier.
package main
