package wire

// Band is the range that an error code belongs to.
type Band string

// The bands. The numbers are those of JSON-RPC 2.0 and of the MCP revision 2026-07-28, basic/index.
const (
	BandStd                  Band = "std"                    // -32700, -32600…-32603
	BandLegacyImpl           Band = "legacy_impl"            // -32000…-32019: implementations before 2026-07-28
	BandMCPDefined           Band = "mcp_defined"            // given a meaning by the revision
	BandMCPReservedUndefined Band = "mcp_reserved_undefined" // the rest of -32020…-32099
	BandOtherReserved        Band = "other_reserved"         // the rest of -32768…-32000
	BandApp                  Band = "app"                    // outside -32768…-32000: free for applications
	BandNotInteger           Band = "not_integer"            // no code, or one that is no integer
)

// definedCodes lists the codes that MCP itself defines, each with the first and last revision that does so; an empty
// end is open.
var definedCodes = []struct {
	code        int64
	first, last string
}{
	{code: -32020}, // HeaderMismatch
	{code: -32021}, // MissingRequiredClientCapability
	{code: -32022}, // UnsupportedProtocolVersion
	{code: -32042, first: "2025-11-25", last: "2025-11-25"}, // URL elicitation required
	{code: -32002, last: "2025-11-25"},                      // resource not found
}

// Band returns the band of the code under a revision, named by its date. For an empty revision only the codes that are
// the same in all of them count as defined.
func (e *RPCError) Band(rev string) Band {
	if !e.CodeIsInt {
		return BandNotInteger
	}
	c := e.CodeInt
	for _, d := range definedCodes {
		// Revisions are dates, so their order is that of their text.
		if d.code == c && d.first <= rev && (d.last == "" || rev != "" && rev <= d.last) {
			return BandMCPDefined
		}
	}
	switch {
	case c == -32700 || -32603 <= c && c <= -32600:
		return BandStd
	case -32019 <= c && c <= -32000:
		return BandLegacyImpl
	case -32099 <= c && c <= -32020:
		return BandMCPReservedUndefined
	case -32768 <= c && c <= -32000:
		return BandOtherReserved
	}
	return BandApp
}
