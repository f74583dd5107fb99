package target

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// link is one call of Links.Add.
type link struct {
	namespace, repository string
	hosts                 []string
}

func connect(links ...link) Operators {
	l := NewLinks()
	for _, k := range links {
		l.Add(k.namespace, k.repository, k.hosts)
	}
	return l.Operators()
}

func TestOperatorsConnect(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		links []link
		same  bool // com.a and the other namespace are one operator
		other string
	}{
		"strangers":                   {[]link{{"com.a", "", nil}, {"com.b", "", nil}}, false, "com.b"},
		"same repository owner":       {[]link{{"com.a", "https://github.com/Acme/x", nil}, {"com.b", "git+https://www.github.com/acme/y.git", nil}}, true, "com.b"},
		"owners on two forges":        {[]link{{"com.a", "https://github.com/acme/x", nil}, {"com.b", "https://gitlab.com/acme/x", nil}}, false, "com.b"},
		"account and repository":      {[]link{{"com.a", "git@github.com:Acme/x.git", nil}, {"io.github.Acme", "", nil}}, true, "io.github.Acme"},
		"account and its pages":       {[]link{{"com.a", "", []string{"acme.github.io"}}, {"io.github.acme", "", nil}}, true, "io.github.acme"},
		"domain of the namespace":     {[]link{{"com.a", "", nil}, {"com.a.sub", "", nil}}, true, "com.a.sub"},
		"domain of the endpoint":      {[]link{{"com.a", "", nil}, {"io.github.x", "", []string{"mcp.a.com"}}}, true, "io.github.x"},
		"same custom domain":          {[]link{{"com.a", "", []string{"mcp.both.dev"}}, {"com.b", "", []string{"api.both.dev"}}}, true, "com.b"},
		"over two steps":              {[]link{{"com.a", "", []string{"c.dev"}}, {"com.c", "https://github.com/c/c", []string{"c.dev"}}, {"com.b", "https://github.com/c/d", nil}}, true, "com.b"},
		"tenants of the suffix list":  {[]link{{"com.a", "", []string{"one.vercel.app"}}, {"com.b", "", []string{"two.vercel.app"}}}, false, "com.b"},
		"same tenant":                 {[]link{{"com.a", "", []string{"x.acme.workers.dev"}}, {"com.b", "", []string{"y.acme.workers.dev"}}}, true, "com.b"},
		"tenants of the table":        {[]link{{"com.a", "", []string{"one.alpic.live"}}, {"com.b", "", []string{"two.alpic.live"}}}, false, "com.b"},
		"gateway":                     {[]link{{"com.a", "", []string{"server.smithery.ai"}}, {"com.b", "", []string{"server.smithery.ai"}}}, false, "com.b"},
		"gateway itself":              {[]link{{"com.a", "", []string{"server.smithery.ai"}}, {"ai.smithery", "", []string{"server.smithery.ai"}}}, false, "ai.smithery"},
		"namespaces that are tenants": {[]link{{"com.a", "", nil}, {"live.alpic.one", "", nil}, {"live.alpic.two", "", nil}}, false, "live.alpic.two"},
		"case of a namespace":         {[]link{{"com.a", "", nil}, {"Com.A", "", nil}}, true, "Com.A"},
		"bad repository":              {[]link{{"com.a", "https://", nil}, {"com.b", "https://", nil}}, false, "com.b"},
		"repository without owner":    {[]link{{"com.a", "https://github.com/", nil}, {"com.b", "https://github.com", nil}}, false, "com.b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := connect(tt.links...)
			if got := o.Of("com.a") == o.Of(tt.other); got != tt.same {
				t.Errorf("%s and %s", o.Of("com.a"), o.Of(tt.other))
			}
		})
	}
	if id := connect().Of("com.never-seen"); id != "ns:com.never-seen" {
		t.Errorf("an unknown publisher is %s", id)
	}
}

func TestOperatorsIgnoreTooManyClaims(t *testing.T) {
	t.Parallel()
	// Everybody names the repository of the template that he started from.
	var links []link
	for i := range maxClaims + 1 {
		links = append(links, link{fmt.Sprintf("com.a%d", i), "https://github.com/template/x", nil})
	}
	o := connect(links...)
	if diff := cmp.Diff([]Claims{{"repo:github.com/template", maxClaims + 1}}, o.Shared); diff != "" || len(o.Components) != maxClaims+1 {
		t.Errorf("%d components: %s", len(o.Components), diff)
	}
	if o := connect(links[1:]...); len(o.Shared) != 0 || len(o.Components) != 1 {
		t.Errorf("%d components of %d claims", len(o.Components), maxClaims)
	}
	// Claims of namespaces that are proven to belong together are one.
	for i := range links {
		links[i].namespace = fmt.Sprintf("com.a.sub%d", i)
	}
	if o := connect(links...); len(o.Components) != 1 || len(o.Components[0].Namespaces) != maxClaims+1 {
		t.Errorf("components %+v", o.Components)
	}
	// A catalogue names the repositories and domains of everybody.
	links = nil
	for i := range maxClaims + 1 {
		links = append(links, link{"com.catalogue", fmt.Sprintf("https://github.com/user%d/x", i), nil}, link{fmt.Sprintf("io.github.user%d", i), "", nil})
	}
	o = connect(links...)
	if diff := cmp.Diff([]Claims{{"domain:catalogue.com", maxClaims + 1}}, o.Catalogues); diff != "" || len(o.Components) != maxClaims+2 {
		t.Errorf("%d components: %s", len(o.Components), diff)
	}
	// Many tenancies are no catalogue.
	links = []link{{"com.a", "", []string{"own.dev"}}, {"com.b", "", []string{"own.dev"}}}
	for i := range 3 * maxClaims {
		links = append(links, link{"com.a", "", []string{fmt.Sprintf("h%d.vercel.app", i)}})
	}
	if o := connect(links...); o.Of("com.a") != o.Of("com.b") || len(o.Catalogues) != 0 {
		t.Errorf("catalogues %v", o.Catalogues)
	}
}

func TestOperatorsDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	var links []link
	for range 400 {
		links = append(links, link{
			fmt.Sprintf("com.a%d", chance.IntN(120)), fmt.Sprintf("https://github.com/o%d/x", chance.IntN(90)), []string{fmt.Sprintf("x.d%d.dev", chance.IntN(200))},
		})
	}
	want := connect(links...)
	for range 5 {
		chance.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		if diff := cmp.Diff(want, connect(links...), cmp.AllowUnexported(Operators{})); diff != "" {
			t.Fatal(diff)
		}
	}
	for _, c := range want.Components {
		all := slices.Concat(c.Namespaces, c.Owners, c.Domains)
		if !slices.ContainsFunc(all, func(m string) bool { return strings.HasSuffix(c.ID, ":"+m) }) {
			t.Errorf("%s is not one of its members", c.ID)
		}
	}
}

func TestRepositoryOwner(t *testing.T) {
	t.Parallel()
	for repository, want := range map[string]string{
		"": "", "https://github.com/Acme/x": "github.com/acme", "http://github.com/acme": "github.com/acme", "github.com/acme/x": "github.com/acme",
		"git+ssh://git@github.com/acme/x.git": "github.com/acme", "git@gitlab.com:acme/group/x.git": "gitlab.com/acme", "https://git.acme.dev/team/x": "git.acme.dev/team",
		"https://GitHub.com//acme/x": "github.com/acme", "not a repository": "", "https://localhost/acme": "", "https://github.com/%zz": "", "acme/x": "",
	} {
		if got := repositoryOwner(repository); got != want {
			t.Errorf("%q belongs to %q, want %q", repository, got, want)
		}
	}
}

// The first match in a map is only well defined when there is no second.
func TestPlatformsDoNotOverlap(t *testing.T) {
	t.Parallel()
	for a := range platforms {
		for b := range platforms {
			if a != b && below(a, b) {
				t.Errorf("%s lies below %s", a, b)
			}
		}
		for c := range specialUse {
			if below(a, c) {
				t.Errorf("%s lies below %s", a, c)
			}
		}
	}
}
