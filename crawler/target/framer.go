package target

import (
	"iter"
	"slices"
	"strings"

	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Options are the choices for a frame.
type Options struct {
	AllVersions  bool   // visit what any row declares that is not deleted, not only the latest ones
	AllowPrivate bool   // visit hosts that are not public too: for a network of one's own, and for tests on this machine
	OptOut       OptOut // may be nil
}

// Kind is what a row declares.
type Kind string

// The kinds.
const (
	KindRemote  Kind = "remote"
	KindPackage Kind = "package"
)

// Declaration is one remote or one package of one row, with everything that another definition of an endpoint could
// need.
type Declaration struct {
	Row      *registry.Row // the row that declares it: name, version, status, times
	Kind     Kind
	Index    int              // position in remotes or packages, from 0
	Type     string           // transport type of a remote, registry type of a package; as declared
	Raw      string           // URL of a remote, identifier of a package; as declared
	Headers  []registry.Input // of a remote
	Inputs   []registry.Input // variables of the URL of a remote
	Endpoint Endpoint         // zero for a package
	Current  bool             // the row is one whose endpoints are visited
	Targets  []string         // keys of the targets that it stands behind: one, or several for a template with choices; none for a package
}

// Target is one endpoint: what gets one visit. It is declared by at least one row.
type Target struct {
	Endpoint
	URL        string           // to request; empty when there is nothing to request
	Types      []wire.Transport // declared transport types that the census knows, sorted; empty when none was declared
	OtherTypes []string         // declared transport types that it does not know, sorted
	Names      []string         // server names that declare it, sorted: by current rows, or by any when there is no current one
	Publishers []string         // namespaces of these names, sorted
	Publisher  string           // the first of them
	Operator   string           // of the publisher; see Operators
	Reason     Reason           // why it is not visited; Eligible when it is
	Rule       string           // the rule or pattern behind the reason
}

// Framer makes the frame of a run from its rows, one at a time. It keeps what the targets need and not the rows, so
// that a registry of millions of rows fits.
type Framer struct {
	o         Options
	endpoints map[string]*declared
	links     *Links
	counts    counter
}

// declared is what is known of one endpoint.
type declared struct {
	endpoint   Endpoint
	current    bool // a current row declares it
	deprecated bool // a row declares it that would be current were it not deprecated
	live       bool // a row that is not deleted declares it
	types      []string
	names      []string // of current rows
	otherNames []string // of the others
}

// NewFramer returns an empty frame.
func NewFramer(o Options) *Framer {
	return &Framer{o: o, endpoints: map[string]*declared{}, links: NewLinks(), counts: newCounter()}
}

// Frame reads all rows and returns their targets. Each is called with the declarations of a row; it may be nil.
func Frame(rows iter.Seq2[registry.Row, error], o Options, each func([]Declaration) error) (*Framer, error) {
	f := NewFramer(o)
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		declarations := f.Add(row)
		if each == nil {
			continue
		}
		if err := each(declarations); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Add takes one row and returns what it declares. A row without an identity declares nothing.
func (f *Framer) Add(row registry.Row) []Declaration {
	if row.Bad != "" {
		return nil
	}
	var list []Declaration
	for _, m := range row.Remotes {
		d := Declaration{
			Row: &row, Kind: KindRemote, Index: m.Index, Type: m.Type, Raw: m.URL, Headers: m.Headers, Inputs: m.Variables,
			Endpoint: Canonical(m.URL, row.Name), Current: f.current(row),
		}
		f.remote(&d)
		list = append(list, d)
	}
	for _, p := range row.Packages {
		list = append(list, Declaration{Row: &row, Kind: KindPackage, Index: p.Index, Type: p.RegistryType, Raw: p.Identifier, Current: f.current(row)})
	}
	f.link(row, list)
	return list
}

// current says whether the endpoints of a row are visited: it is active, and the latest of its name unless all versions
// are wanted. A registry that does not say which row is the latest, or what its status is, gets the benefit of the doubt.
func (f *Framer) current(row registry.Row) bool {
	return f.wanted(row) && row.Status != registry.Deprecated
}

// wanted is current, deprecated rows included.
func (f *Framer) wanted(row registry.Row) bool {
	latest := row.IsLatest == nil || *row.IsLatest
	return row.Status != registry.Deleted && (latest || f.o.AllVersions)
}

func (f *Framer) remote(d *Declaration) {
	f.counts.add(d)
	endpoints := []Endpoint{d.Endpoint}
	if d.Endpoint.Class == Template {
		if filled := expand(strings.TrimSpace(d.Raw), d.Inputs); filled != nil {
			endpoints = nil
			for _, text := range filled {
				e := Canonical(text, d.Row.Name)
				e.Flags = append(e.Flags, FlagDerived)
				slices.Sort(e.Flags)
				endpoints = append(endpoints, e)
			}
		}
	}
	for _, e := range endpoints {
		if !slices.Contains(d.Targets, e.Key) {
			d.Targets = append(d.Targets, e.Key)
			f.declare(d, e)
		}
	}
}

func (f *Framer) declare(d *Declaration, e Endpoint) {
	known := f.endpoints[e.Key]
	if known == nil {
		known = &declared{endpoint: e}
		f.endpoints[e.Key] = known
	} else if known.endpoint.Has(FlagDerived) && !e.Has(FlagDerived) {
		known.endpoint = e // also declared outright
	}
	// Like the visit, the types come from current rows; without any, from all.
	if d.Current && !known.current {
		known.current, known.types = true, nil
	}
	known.live = known.live || d.Row.Status != registry.Deleted
	known.deprecated = known.deprecated || f.wanted(*d.Row) && !d.Current
	if d.Current || !known.current {
		if !slices.Contains(known.types, d.Type) {
			known.types = append(known.types, d.Type)
		}
	}
	names := &known.otherNames
	if d.Current {
		names = &known.names
	}
	if n := len(*names); n == 0 || (*names)[n-1] != d.Row.Name { // rows of one name usually follow each other
		*names = append(*names, d.Row.Name)
	}
}

// link tells the operators what a row connects.
func (f *Framer) link(row registry.Row, list []Declaration) {
	if row.Status == registry.Deleted {
		return
	}
	var hosts []string
	for _, d := range list {
		if d.Endpoint.Class == Plain && d.Endpoint.HostClass == Public && !d.Endpoint.Has(FlagAddress) {
			hosts = append(hosts, d.Endpoint.Host)
		}
	}
	f.links.Add(Namespace(row.Name), row.Repository, hosts)
}

// Namespace is the part of a server name before its slash: the publisher.
func Namespace(name string) string {
	namespace, _, _ := strings.Cut(name, "/")
	return namespace
}

// Targets returns every endpoint that was declared, sorted by key.
func (f *Framer) Targets() []Target {
	operators := f.Operators()
	targets := make([]Target, 0, len(f.endpoints))
	for _, d := range f.endpoints {
		targets = append(targets, f.target(d, operators))
	}
	slices.SortFunc(targets, func(a, b Target) int { return strings.Compare(a.Key, b.Key) })
	return targets
}

// Operators returns who is who among the publishers of the rows so far.
func (f *Framer) Operators() Operators { return f.links.Operators() }

// Counts returns how many endpoints there are, by every definition.
func (f *Framer) Counts() Counts { return f.counts.counts() }

func (f *Framer) target(d *declared, operators Operators) Target {
	t := Target{Endpoint: d.endpoint, Names: d.names}
	if !d.current {
		t.Names = d.otherNames
	}
	t.Names = slices.Compact(slices.Sorted(slices.Values(t.Names)))
	for _, name := range t.Names {
		t.Publishers = append(t.Publishers, Namespace(name))
	}
	slices.Sort(t.Publishers)
	t.Publishers = slices.Compact(t.Publishers)
	t.Publisher = t.Publishers[0]
	t.Operator = operators.Of(t.Publisher)
	untyped := false
	for _, declared := range d.types {
		if known, ok := transport(declared); ok {
			t.Types = append(t.Types, known)
		} else if declared != "" {
			t.OtherTypes = append(t.OtherTypes, declared)
		} else {
			untyped = true
		}
	}
	slices.Sort(t.Types)
	t.Types = slices.Compact(t.Types)
	slices.Sort(t.OtherTypes)
	if t.Class == Plain {
		t.URL = t.Key
	}
	t.Reason, t.Rule = f.reason(d, &t)
	if t.Reason == Eligible && len(t.Types) == 0 && !untyped {
		t.Reason, t.Rule = UnsupportedTransport, strings.Join(t.OtherTypes, ", ")
	}
	return t
}

func (f *Framer) reason(d *declared, t *Target) (Reason, string) {
	switch {
	case !d.live:
		return Withdrawn, ""
	case !d.current && d.deprecated:
		return DeprecatedOnly, ""
	case !d.current:
		return Superseded, ""
	}
	if f.o.OptOut != nil {
		if rule, ok := f.o.OptOut.Match(t.Host, t.URL, t.Names); ok {
			return OptedOut, rule
		}
	}
	return urlReason(&t.Endpoint, f.o.AllowPrivate)
}

// transport reads a declared transport type, also in the spelling of 2025-08.
func transport(declared string) (wire.Transport, bool) {
	switch declared {
	case "streamable-http", "streamable":
		return wire.StreamableHTTP, true
	case "sse":
		return wire.HTTPSSE, true
	}
	return "", false
}
