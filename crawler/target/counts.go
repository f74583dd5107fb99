package target

import "github.com/mcpcensus/mcpcensus/crawler/registry"

// Population is a set of rows over which endpoints are counted.
type Population string

// The populations.
const (
	AllRows      Population = "all"                // deleted rows included
	NotDeleted   Population = "not_deleted"        // every version that is not deleted
	LatestRows   Population = "latest_not_deleted" // one version a name
	ActiveLatest Population = "active_latest"      // one version a name, deprecated ones left out
)

// Populations returns all of them.
func Populations() []Population { return []Population{AllRows, NotDeleted, LatestRows, ActiveLatest} }

// Level is a definition of what one endpoint is.
type Level string

// The levels. They count plain URLs; templates and what is no URL are counted apart, by their text.
const (
	LevelE0        Level = "raw"         // the text as declared
	LevelE1        Level = "key"         // the canonical key
	LevelE2        Level = "no_slash"    // without a trailing slash
	LevelE3        Level = "no_query"    // without trailing slash, query and scheme
	LevelHost      Level = "host"        //
	LevelDomain    Level = "domain"      // registrable domain
	LevelTemplates Level = "templates"   // distinct templates, as text
	LevelInvalid   Level = "invalid"     // distinct texts that are no URL
	LevelDeclared  Level = "declaration" // declarations, not distinct
)

// Counts are numbers of endpoints.
type Counts map[Population]map[Level]int

// counter keeps, for each level and text, the populations in which it was seen, as bits.
type counter struct {
	seen     map[Level]map[string]uint8
	declared map[Population]int
}

func newCounter() counter {
	c := counter{seen: map[Level]map[string]uint8{}, declared: map[Population]int{}}
	for _, level := range []Level{LevelE0, LevelE1, LevelE2, LevelE3, LevelHost, LevelDomain, LevelTemplates, LevelInvalid} {
		c.seen[level] = map[string]uint8{}
	}
	return c
}

func (c *counter) add(d *Declaration) {
	var bits uint8
	for i, p := range Populations() {
		if inPopulation(d.Row, p) {
			bits |= 1 << i
			c.declared[p]++
		}
	}
	e := &d.Endpoint
	switch e.Class {
	case Template:
		c.seen[LevelTemplates][e.Raw] |= bits
	case Invalid:
		c.seen[LevelInvalid][e.Raw] |= bits
	default:
		c.seen[LevelE0][e.Raw] |= bits
		c.seen[LevelE1][e.Key] |= bits
		c.seen[LevelE2][e.E2] |= bits
		c.seen[LevelE3][e.E3] |= bits
		c.seen[LevelHost][e.Host] |= bits
		c.seen[LevelDomain][e.Domain] |= bits
	}
}

func inPopulation(row *registry.Row, p Population) bool {
	latest := row.IsLatest == nil || *row.IsLatest
	switch p {
	case NotDeleted:
		return row.Status != registry.Deleted
	case LatestRows:
		return row.Status != registry.Deleted && latest
	case ActiveLatest:
		return row.Status != registry.Deleted && row.Status != registry.Deprecated && latest
	}
	return true
}

func (c *counter) counts() Counts {
	result := Counts{}
	for i, p := range Populations() {
		result[p] = map[Level]int{LevelDeclared: c.declared[p]}
		for level, texts := range c.seen {
			n := 0
			for _, bits := range texts {
				if bits&(1<<i) != 0 {
					n++
				}
			}
			result[p][level] = n
		}
	}
	return result
}
