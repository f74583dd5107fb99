// Package handshake asks whether an endpoint answers at all and whether it completes a handshake: see def.yml.
//
// An answer of an intermediary that keeps everybody out says nothing of the endpoint behind it.
package handshake
