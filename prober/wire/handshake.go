package wire

import "encoding/json"

// ReadInitialize reads an InitializeResult (MCP 2024-11-05 to 2025-11-25, basic/lifecycle). It completes the handshake
// when protocolVersion is a string and capabilities an object: that is what a client cannot go on without. A serverInfo
// that is missing or incomplete departs from the specification and completes it all the same. The revision is empty when
// there is none.
func ReadInitialize(result Object) (revision string, complete bool) {
	raw, _ := result.Get("protocolVersion")
	revision, ok := ReadString(raw)
	capabilities, _ := result.Get("capabilities")
	return revision, ok && KindOf(capabilities) == KindObject
}

// ReadDiscover reads a DiscoverResult (MCP 2026-07-28, basic/versioning) and returns the revision to go on with, as
// [NewestModern] picks it. valid says whether the result is one: its resultType, if any, is "complete", and
// supportedVersions is an array. A server can give one without speaking a modern revision: the handshake is complete
// when there is a revision.
func ReadDiscover(result Object) (revision string, valid bool) {
	raw, present := result.Get("resultType")
	if kind, _ := ReadString(raw); present && kind != "complete" {
		return "", false
	}
	raw, _ = result.Get("supportedVersions")
	return NewestModern(raw)
}

// NewestModern picks from a raw list of revisions the one to go on with: [OfferModern] if it is there, otherwise the
// newest modern one, otherwise "". It is false when raw is no array.
func NewestModern(raw json.RawMessage) (revision string, isList bool) {
	list, err := ReadArray(raw)
	if err != nil {
		return "", false
	}
	for _, item := range list {
		switch name, _ := ReadString(item); {
		case name == OfferModern:
			return name, true
		case IsModern(name) && name > revision:
			revision = name
		}
	}
	return revision, true
}
