// Package era asks which era, revision and transport an endpoint speaks: see def.yml.
//
// Each era is read on its own from its handshake. What was not answered stays open: an endpoint is only said to speak
// one era alone when the other one was refused.
package era
