package target

import _ "embed"

//go:embed optout.txt
var shippedOptOuts string

// ShippedOptOuts is the opt-out list of the project, in the form that polite.ReadOptOut reads.
func ShippedOptOuts() string { return shippedOptOuts }
