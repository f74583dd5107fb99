package wire

import (
	"slices"
	"time"
)

// Era is one of the two incompatible generations of the protocol.
type Era string

// The eras. Modern begins with revision 2026-07-28: no initialize, metadata with every request.
const (
	Modern Era = "modern"
	Legacy Era = "legacy"
)

// Revision is one published revision of the specification, with what depends on it.
type Revision struct {
	Name string // the date that stands on the wire, such as "2025-11-25"
	Era  Era
	// HasOutputSchema: the revision defines tools[].outputSchema.
	HasOutputSchema bool
	// HasAnnotations: the revision defines tools[].annotations.
	HasAnnotations bool
	// OutputSchemaObject: the root of an outputSchema must be of type object.
	OutputSchemaObject bool
	// Published: the specification has pages for it (2024-10-07 only stands in the lists of servers).
	Published bool
}

// revisions lists every revision, oldest first. A new revision is a new line here.
var revisions = []Revision{
	{Name: "2024-10-07", Era: Legacy},
	{Name: "2024-11-05", Era: Legacy, Published: true},
	{Name: "2025-03-26", Era: Legacy, HasAnnotations: true, Published: true},
	{Name: "2025-06-18", Era: Legacy, HasAnnotations: true, HasOutputSchema: true, OutputSchemaObject: true, Published: true},
	{Name: "2025-11-25", Era: Legacy, HasAnnotations: true, HasOutputSchema: true, OutputSchemaObject: true, Published: true},
	{Name: "2026-07-28", Era: Modern, HasAnnotations: true, HasOutputSchema: true, Published: true},
}

// The revisions that the census offers, one for each era.
const (
	OfferLegacy = "2025-11-25"
	OfferModern = "2026-07-28"
)

// Revisions returns every known revision, oldest first.
func Revisions() []Revision { return slices.Clone(revisions) }

// FindRevision returns the revision with that name.
func FindRevision(name string) (Revision, bool) {
	i := slices.IndexFunc(revisions, func(r Revision) bool { return r.Name == name })
	if i < 0 {
		return Revision{}, false
	}
	return revisions[i], true
}

// IsModern says whether a revision belongs to the modern era: a known one that does, or a date after every known one.
func IsModern(name string) bool {
	if r, known := FindRevision(name); known {
		return r.Era == Modern
	}
	_, err := time.Parse(time.DateOnly, name)
	return err == nil && name > revisions[len(revisions)-1].Name
}
