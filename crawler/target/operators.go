package target

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// maxClaims is how many unconnected parties may claim one repository owner or domain before the claim is taken to mean
// nothing: an organisation whose template everybody publishes, or a platform that is missing from the table. It is also
// how many repository owners, or domains, one party may claim before it is taken for a catalogue of other people's work.
const maxClaims = 5

// Links collects what connects publishers. Four kinds of members are connected: publisher namespaces ("ns:"), repository
// owners ("repo:", with their host), registered domains ("domain:") and places that a platform gives to one customer
// ("tenant:", such as foo.vercel.app).
//
// Some links are proven, because the registry checks who publishes: a namespace io.github.USER belongs to the account
// github.com/USER, and a namespace com.example.sub to the domain example.com. All others are claims of the publisher:
// the owner of the repository that a server names, and the domain of the endpoint that it names. A claim links, unless
// the domain is a platform (see platforms), or more than maxClaims parties that proven links do not connect claim the
// same member, or the party claims more than maxClaims owners, or domains. So a component grows large only where
// one party proved that it owns the names.
type Links struct {
	union  union
	claims map[string]map[string]bool // member → namespaces that claim it
}

// NewLinks returns an empty collection.
func NewLinks() *Links {
	return &Links{union: union{parent: map[string]string{}}, claims: map[string]map[string]bool{}}
}

// Add notes a publisher with the repository URL and the hosts of endpoints that one of its servers declares.
func (l *Links) Add(namespace, repository string, hosts []string) {
	ns := "ns:" + namespace
	l.union.find(ns)
	if own := provenMember(namespace); own != "" {
		l.union.join(ns, own)
	}
	if owner := repositoryOwner(repository); owner != "" {
		l.claim(ns, "repo:"+owner)
	}
	for _, host := range hosts {
		if member := hostMember(host); member != "" {
			l.claim(ns, member)
		}
	}
}

func (l *Links) claim(ns, member string) {
	l.union.find(member)
	if l.claims[member] == nil {
		l.claims[member] = map[string]bool{}
	}
	l.claims[member][ns] = true
}

// provenMember returns what the registry made a publisher prove before it gave out the namespace.
func provenMember(namespace string) string {
	if user, found := strings.CutPrefix(strings.ToLower(namespace), "io.github."); found {
		if user == "" || strings.Contains(user, ".") {
			return ""
		}
		return "repo:github.com/" + user
	}
	labels := strings.Split(strings.ToLower(namespace), ".")
	if len(labels) < 2 {
		return ""
	}
	slices.Reverse(labels)
	host := strings.Join(labels, ".")
	if !isHostName(host) {
		return ""
	}
	return hostMember(host)
}

// hostMember returns who stands behind a host: its registrable domain, its customer on a platform, or nobody known.
func hostMember(host string) string {
	for _, pages := range []struct{ suffix, forge string }{{".github.io", "github.com/"}, {".gitlab.io", "gitlab.com/"}} {
		if user, found := strings.CutSuffix(host, pages.suffix); found {
			return "repo:" + pages.forge + user[strings.LastIndexByte(user, '.')+1:]
		}
	}
	domain := registrable(host)
	if !strings.Contains(domain, ".") {
		return ""
	}
	for platform, how := range platforms {
		switch {
		case host == platform, how == byPath && below(host, platform):
			return ""
		case below(host, platform) && !strings.HasSuffix(domain, "."+platform): // the list does not split it
			return "tenant:" + host
		}
	}
	if suffix, icann := publicsuffix.PublicSuffix(domain); !icann && strings.Contains(suffix, ".") {
		return "tenant:" + domain
	}
	return "domain:" + domain
}

// repositoryOwner returns the host and the first part of the path of a repository URL, in any of the forms in which
// people write them.
func repositoryOwner(repository string) string {
	text := strings.TrimPrefix(strings.TrimSpace(repository), "git+")
	if at, path, found := strings.Cut(text, ":"); found && !strings.Contains(text, "://") && strings.Contains(at, "@") {
		text = "ssh://" + at + "/" + path // git@github.com:owner/name.git
	}
	if text == "" {
		return ""
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	owner, _, _ := strings.Cut(strings.TrimLeft(u.Path, "/"), "/")
	if !isHostName(host) || !strings.Contains(host, ".") || owner == "" {
		return ""
	}
	return host + "/" + strings.ToLower(owner)
}

// Component is one operator: members that are connected.
type Component struct {
	ID         string   // its first member in byte order
	Namespaces []string // sorted, without prefix
	Owners     []string
	Domains    []string // registered ones, and tenancies on platforms
}

// Claims are claims that connect nobody, because there are too many of them.
type Claims struct {
	Member string // who is claimed, or who claims
	Count  int
}

// Operators says which publishers are one operator.
type Operators struct {
	id         map[string]string // by namespace
	Components []Component       // with at least one namespace; the most namespaces first
	Shared     []Claims          // members that too many unconnected parties claim, sorted
	Catalogues []Claims          // parties that claim too many repository owners or domains, by their first member, sorted
}

// Of returns the operator of a publisher: the first member of its component.
func (o Operators) Of(namespace string) string {
	if id, ok := o.id[namespace]; ok {
		return id
	}
	return "ns:" + namespace
}

// Operators connects everything that was added so far. The result does not depend on the order of the additions.
func (l *Links) Operators() Operators {
	var o Operators
	joined := l.union.clone()
	parties := map[string]map[string]bool{} // by member: who claims it, as far as proven links connect
	claimed := map[string]map[string]bool{} // by party and kind: what it claims
	for member, claimants := range l.claims {
		for ns := range claimants {
			if party := l.union.find(ns); party != l.union.find(member) { // not its own anyway
				add(parties, member, party)
				add(claimed, kind(member)+" "+party, member)
			}
		}
	}
	for member, by := range parties {
		if len(by) > maxClaims {
			o.Shared = append(o.Shared, Claims{member, len(by)})
			continue
		}
		for party := range by {
			if !catalogue(kind(member), claimed[kind(member)+" "+party]) {
				joined.join(party, member)
			}
		}
	}
	for key, members := range claimed {
		kind, party, _ := strings.Cut(key, " ")
		if catalogue(kind, members) {
			o.Catalogues = append(o.Catalogues, Claims{party, len(members)})
		}
	}
	for _, list := range [][]Claims{o.Shared, o.Catalogues} {
		slices.SortFunc(list, func(a, b Claims) int { return cmp.Or(strings.Compare(a.Member, b.Member), a.Count-b.Count) })
	}
	o.id, o.Components = components(joined)
	return o
}

func add(sets map[string]map[string]bool, key, value string) {
	if sets[key] == nil {
		sets[key] = map[string]bool{}
	}
	sets[key][value] = true
}

// catalogue says whether somebody claims so many members of a kind that they cannot all be his. Anybody may have many
// tenancies.
func catalogue(kind string, claimed map[string]bool) bool {
	return kind != "tenant" && len(claimed) > maxClaims
}

// kind is what kind of member it is: "ns", "repo", "domain" or "tenant".
func kind(member string) string {
	k, _, _ := strings.Cut(member, ":")
	return k
}

func components(u union) (map[string]string, []Component) {
	members := map[string][]string{}
	for member := range u.parent {
		root := u.find(member)
		members[root] = append(members[root], member)
	}
	id := map[string]string{}
	var list []Component
	for _, m := range members {
		slices.Sort(m)
		c := Component{ID: m[0]}
		for _, member := range m {
			_, text, _ := strings.Cut(member, ":")
			switch kind(member) {
			case "ns":
				c.Namespaces = append(c.Namespaces, text)
				id[text] = c.ID
			case "repo":
				c.Owners = append(c.Owners, text)
			default:
				c.Domains = append(c.Domains, text)
			}
		}
		if len(c.Namespaces) > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Component) int {
		return cmp.Or(cmp.Compare(len(b.Namespaces), len(a.Namespaces)), strings.Compare(a.ID, b.ID))
	})
	return id, list
}

// union is a set of disjoint sets (Tarjan): a member leads to its parent, and the root of a set to itself.
type union struct{ parent map[string]string }

func (u union) find(member string) string {
	parent, known := u.parent[member]
	if !known {
		u.parent[member] = member
		return member
	}
	for parent != member {
		next := u.parent[parent]
		u.parent[member] = next // halve the way for the next time
		member, parent = next, u.parent[next]
	}
	return member
}

func (u union) join(a, b string) {
	a, b = u.find(a), u.find(b)
	if a != b {
		u.parent[max(a, b)] = min(a, b)
	}
}

func (u union) clone() union {
	c := union{parent: make(map[string]string, len(u.parent))}
	for member, parent := range u.parent {
		c.parent[member] = parent
	}
	return c
}
