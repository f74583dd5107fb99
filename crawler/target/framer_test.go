package target

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/crawler/registry"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func ptr[T any](v T) *T { return &v }

// row is a row that declares remotes, each as "type URL".
func row(name, version, status string, latest bool, remotes ...string) registry.Row {
	r := registry.Row{Name: name, Version: version, Status: status, IsLatest: ptr(latest)}
	for i, m := range remotes {
		kind, url, _ := strings.Cut(m, " ")
		r.Remotes = append(r.Remotes, registry.Remote{Index: i, Type: kind, URL: url})
	}
	return r
}

func frame(t *testing.T, o Options, rows ...registry.Row) map[string]Target {
	t.Helper()
	f := NewFramer(o)
	for _, r := range rows {
		f.Add(r)
	}
	targets := f.Targets()
	if !slices.IsSortedFunc(targets, func(a, b Target) int { return strings.Compare(a.Key, b.Key) }) {
		t.Error("targets are not in order")
	}
	byKey := map[string]Target{}
	for _, target := range targets {
		if _, again := byKey[target.Key]; again {
			t.Errorf("two targets %s", target.Key)
		}
		byKey[target.Key] = target
	}
	return byKey
}

func TestFrameMergesDeclarations(t *testing.T) {
	t.Parallel()
	targets := frame(t, Options{},
		row("com.b/one", "1", registry.Active, false, "sse https://mcp.dev/mcp"),
		row("com.b/one", "2", registry.Active, true, "streamable-http https://MCP.dev:443/mcp", "websocket https://mcp.dev/mcp"),
		row("com.a/two", "1", registry.Active, true, "sse https://mcp.dev/mcp#x", "sse https://mcp.dev/mcp/"),
		row("Com.A/two", "1", registry.Active, true, "streamable https://mcp.dev/mcp"),
	)
	got := targets["https://mcp.dev/mcp"]
	want := Target{
		URL: "https://mcp.dev/mcp", Types: []wire.Transport{wire.HTTPSSE, wire.StreamableHTTP}, OtherTypes: []string{"websocket"},
		Names: []string{"Com.A/two", "com.a/two", "com.b/one"}, Publishers: []string{"Com.A", "com.a", "com.b"}, Publisher: "Com.A",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Target{}, "Endpoint", "Operator")); diff != "" {
		t.Error(diff)
	}
	if got.Operator != targets["https://mcp.dev/mcp/"].Operator || len(targets) != 2 {
		t.Errorf("%d targets, operators %s and %s", len(targets), got.Operator, targets["https://mcp.dev/mcp/"].Operator)
	}
}

func TestFrameMembership(t *testing.T) {
	t.Parallel()
	rows := []registry.Row{
		row("com.a/x", "1", registry.Active, false, "sse https://old.dev/sse"),
		row("com.a/x", "2", registry.Active, true, "streamable-http https://new.dev/mcp"),
		row("com.a/y", "1", registry.Deleted, true, "streamable-http https://gone.dev/mcp"),
		row("com.a/z", "1", registry.Deprecated, true, "streamable-http https://deprecated.dev/mcp"),
		{Name: "com.a/unknown", Version: "1", Remotes: []registry.Remote{{URL: "https://unknown.dev/mcp"}}},
		{Name: "com.a/bad", Bad: registry.BadNoVersion, Remotes: []registry.Remote{{URL: "https://bad.dev/mcp"}}},
	}
	reasons := func(o Options) map[string]Reason {
		got := map[string]Reason{}
		for key, target := range frame(t, o, rows...) {
			got[key] = target.Reason
		}
		return got
	}
	want := map[string]Reason{
		"https://old.dev/sse": Superseded, "https://new.dev/mcp": Eligible, "https://gone.dev/mcp": Withdrawn, "https://deprecated.dev/mcp": DeprecatedOnly,
		"https://unknown.dev/mcp": Eligible,
	}
	if diff := cmp.Diff(want, reasons(Options{})); diff != "" {
		t.Error(diff)
	}
	want["https://old.dev/sse"] = Eligible
	if diff := cmp.Diff(want, reasons(Options{AllVersions: true})); diff != "" {
		t.Error(diff)
	}
	// What a current row declares counts, not what an older one did.
	mixed := frame(t, Options{},
		row("com.a/x", "1", registry.Active, false, "sse https://mcp.dev/mcp"), row("com.a/x", "2", registry.Active, true, "streamable-http https://mcp.dev/mcp"),
		row("com.a/x", "3", registry.Deleted, false, "sse https://mcp.dev/mcp"))["https://mcp.dev/mcp"]
	if !slices.Equal(mixed.Types, []wire.Transport{wire.StreamableHTTP}) || mixed.Reason != Eligible {
		t.Errorf("types %v, reason %q", mixed.Types, mixed.Reason)
	}
}

func TestFrameReasons(t *testing.T) {
	t.Parallel()
	list, err := polite.ReadOptOut(strings.NewReader("*.quiet.dev\ncom.shy/\nhttps://mcp.dev/private\n"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, remote string
		reason       Reason
		rule         string
		private      Reason // with AllowPrivate
	}{
		{"com.a/x", "streamable-http https://mcp.dev/mcp", Eligible, "", Eligible},
		{"com.a/x", "streamable-http https://a.quiet.dev/mcp", OptedOut, "*.quiet.dev", OptedOut},
		{"com.shy/x", "streamable-http https://mcp.dev/shy", OptedOut, "com.shy/", OptedOut},
		{"com.a/x", "streamable-http https://mcp.dev/private/mcp", OptedOut, "https://mcp.dev/private", OptedOut},
		{"com.a/x", "streamable-http ftp://mcp.dev/", UnsupportedScheme, "ftp", UnsupportedScheme},
		{"com.a/x", "streamable-http mcp.dev/mcp", UnsupportedScheme, "", UnsupportedScheme},
		{"com.a/x", "streamable-http https://mcp.dev:99999/", InvalidURL, "port", InvalidURL},
		{"com.a/x", "streamable-http ", InvalidURL, "empty", InvalidURL},
		{"com.a/x", "streamable-http http://134744072/", InvalidURL, "an address that is not written as a dotted quad", InvalidURL},
		{"com.a/x", "streamable-http http://2130706433/", PrivateAddress, "loopback, an address that is not written as a dotted quad", PrivateAddress},
		{"com.a/x", "streamable-http https://{t}.mcp.dev/", TemplateNeedsConfig, "", TemplateNeedsConfig},
		{"com.a/x", "streamable-http http://127.0.0.1:8080/", PrivateAddress, "127.0.0.0/8, Loopback (RFC 1122 §3.2.1.3)", Eligible},
		{"com.a/x", "streamable-http http://[::ffff:10.0.0.5]/", PrivateAddress, "10.0.0.0/8, Private-Use (RFC 1918)", Eligible},
		{"com.a/x", "streamable-http http://0.0.0.0/", PrivateAddress, "0.0.0.0/32, This host on this network (RFC 1122 §3.2.1.3)", PrivateAddress},
		{"com.a/x", "streamable-http http://localhost:8080/", PrivateAddress, "loopback", Eligible},
		{"com.a/x", "streamable-http http://mcp:8080/", SingleLabelHost, "", Eligible},
		{"com.a/x", "streamable-http https://fake.test:8443/", SpecialUseName, ".test (RFC 6761 §6.2)", Eligible},
		{"com.a/x", "streamable-http https://a.example.com/", PlaceholderHost, "placeholder example.com", Eligible},
		{"com.a/x", "streamable-http https://your-tenant.mcp.dev/", PlaceholderHost, "placeholder your-…", Eligible},
		{"com.a/x", "streamable-http https://mcp.dev:25/", PortNotAllowed, "port 25 (WHATWG Fetch, bad port)", PortNotAllowed},
		{"com.a/x", "streamable-http https://user:pw@mcp.dev/userinfo", Eligible, "", Eligible},
		{"com.a/x", "websocket https://mcp.dev/ws", UnsupportedTransport, "websocket", UnsupportedTransport},
		{"com.a/x", " https://mcp.dev/untyped", Eligible, "", Eligible},
	}
	for _, tt := range tests {
		for _, private := range []bool{false, true} {
			want := tt.reason
			if private {
				want = tt.private
			}
			for key, got := range frame(t, Options{OptOut: list, AllowPrivate: private}, row(tt.name, "1", registry.Active, true, tt.remote)) {
				if got.Reason != want || (got.Reason == tt.reason && got.Rule != tt.rule) {
					t.Errorf("%s (private %v): reason %q by rule %q, want %q by %q", key, private, got.Reason, got.Rule, want, tt.rule)
				}
				if got.Reason != Eligible && !slices.Contains(Reasons(), got.Reason) {
					t.Errorf("reason %q is not in the list", got.Reason)
				}
				if strings.Contains(got.Key+got.URL, "pw@") {
					t.Errorf("the password is in %s", got.Key)
				}
			}
		}
	}
}

func TestFrameTemplates(t *testing.T) {
	t.Parallel()
	input := func(name string, change func(*registry.Input)) registry.Input {
		in := registry.Input{Name: name, Required: true}
		change(&in)
		return in
	}
	tests := map[string]struct {
		url       string
		variables []registry.Input
		want      []string
	}{
		"value": {"https://{h}.mcp.dev/", []registry.Input{input("h", func(i *registry.Input) { i.Value, i.Default = ptr("v"), ptr("d") })}, []string{"https://v.mcp.dev/"}},
		"default": {
			"https://mcp.dev/{a}/{a}?x=%7Bb%7D",
			[]registry.Input{input("a", func(i *registry.Input) { i.Default, i.Choices = ptr("d"), []string{"x"} }), input("b", func(i *registry.Input) { i.Default = ptr("e") })},
			[]string{"https://mcp.dev/d/d?x=e"},
		},
		"choices": {
			"https://{r}.mcp.dev/{v}",
			[]registry.Input{input("r", func(i *registry.Input) { i.Choices = []string{"eu", "us"} }), input("v", func(i *registry.Input) { i.Choices = []string{"v1", "v2"} })},
			[]string{"https://eu.mcp.dev/v1", "https://eu.mcp.dev/v2", "https://us.mcp.dev/v1", "https://us.mcp.dev/v2"},
		},
		"whole URL":           {"{base}/mcp", []registry.Input{input("base", func(i *registry.Input) { i.Default = ptr("https://mcp.dev") })}, []string{"https://mcp.dev/mcp"}},
		"nothing":             {"https://{h}.mcp.dev/", nil, nil},
		"not declared":        {"https://{h}.mcp.dev/", []registry.Input{input("H", func(i *registry.Input) { i.Value = ptr("v") })}, nil},
		"empty default":       {"https://{h}.mcp.dev/", []registry.Input{input("h", func(i *registry.Input) { i.Default = ptr("") })}, nil},
		"too many choices":    {"https://{h}.mcp.dev/", []registry.Input{input("h", func(i *registry.Input) { i.Choices = strings.Split("a b c d e f g h i", " ") })}, nil},
		"a published secret":  {"https://mcp.dev/?k={k}", []registry.Input{input("k", func(i *registry.Input) { i.Secret, i.Value = true, ptr("v") })}, nil},
		"a template again":    {"https://{h}.mcp.dev/", []registry.Input{input("h", func(i *registry.Input) { i.Default = ptr("{x}") })}, nil},
		"one of two is known": {"https://{h}.mcp.dev/{p}", []registry.Input{input("h", func(i *registry.Input) { i.Value = ptr("v") })}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := row("com.a/x", "1", registry.Active, true)
			r.Remotes = []registry.Remote{{Type: "streamable-http", URL: tt.url, Variables: tt.variables}}
			f := NewFramer(Options{})
			declarations := f.Add(r)
			targets := f.Targets()
			if tt.want == nil {
				if len(targets) != 1 || targets[0].Reason != TemplateNeedsConfig || targets[0].URL != "" || targets[0].Class != Template {
					t.Errorf("targets %+v", targets)
				}
				return
			}
			var keys []string
			for _, target := range targets {
				keys = append(keys, target.Key)
				if target.Reason != Eligible || !target.Has(FlagDerived) {
					t.Errorf("%s: reason %q, flags %q", target.Key, target.Reason, target.Flags)
				}
			}
			if diff := cmp.Diff(tt.want, keys); diff != "" {
				t.Error(diff)
			}
			if d := declarations[0]; d.Endpoint.Class != Template || !slices.Equal(slices.Sorted(slices.Values(d.Targets)), tt.want) {
				t.Errorf("declared as %s, behind %q", d.Endpoint.Class, d.Targets)
			}
		})
	}
	// Declared outright as well, it is no longer derived.
	derived := row("com.a/x", "1", registry.Active, true)
	derived.Remotes = []registry.Remote{{Type: "sse", URL: "https://{h}.dev/", Variables: []registry.Input{{Name: "h", Default: ptr("mcp")}}}}
	if got := frame(t, Options{}, derived, row("com.a/y", "1", registry.Active, true, "sse https://mcp.dev"))["https://mcp.dev/"]; got.Has(FlagDerived) || len(got.Names) != 2 {
		t.Errorf("flags %q, names %q", got.Flags, got.Names)
	}
}

func TestCountsByDefinition(t *testing.T) {
	t.Parallel()
	f := NewFramer(Options{})
	for _, r := range []registry.Row{
		row("com.a/x", "1", registry.Active, false, "sse https://mcp.dev/mcp", "sse https://MCP.dev/mcp"),
		row("com.a/x", "2", registry.Active, true, "sse https://mcp.dev/mcp/", "sse http://mcp.dev/mcp?x"),
		row("com.a/y", "1", registry.Deprecated, true, "sse https://a.mcp.dev/mcp"),
		row("com.a/z", "1", registry.Deleted, true, "sse https://gone.dev/mcp", "sse {x}", "sse nothing"),
	} {
		f.Add(r)
	}
	counts := f.Counts()
	for _, tt := range []struct {
		p     Population
		level Level
		want  int
	}{
		{AllRows, LevelE0, 6}, {AllRows, LevelE1, 5}, {AllRows, LevelE2, 4}, {AllRows, LevelE3, 3}, {AllRows, LevelHost, 3}, {AllRows, LevelDomain, 2},
		{AllRows, LevelTemplates, 1}, {AllRows, LevelInvalid, 1}, {AllRows, LevelDeclared, 8},
		{NotDeleted, LevelE0, 5}, {NotDeleted, LevelTemplates, 0}, {LatestRows, LevelE1, 3}, {ActiveLatest, LevelE1, 2}, {ActiveLatest, LevelE3, 1}, {ActiveLatest, LevelDeclared, 2},
	} {
		if got := counts[tt.p][tt.level]; got != tt.want {
			t.Errorf("%s by %s: %d, want %d", tt.p, tt.level, got, tt.want)
		}
	}
}

func TestFrameReadsToTheEnd(t *testing.T) {
	t.Parallel()
	rows := []registry.Row{row("com.a/x", "1", registry.Active, true, "sse https://mcp.dev/"), row("com.a/y", "1", registry.Active, true, "sse https://b.dev/")}
	broken := errors.New("broken")
	seq := func(end error) func(func(registry.Row, error) bool) {
		return func(yield func(registry.Row, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
			if end != nil {
				yield(registry.Row{}, end)
			}
		}
	}
	seen := 0
	count := func(d []Declaration) error { seen += len(d); return nil }
	f, err := Frame(seq(nil), Options{}, count)
	if err != nil || len(f.Targets()) != 2 || seen != 2 {
		t.Errorf("%d declarations, %v", seen, err)
	}
	if _, err := Frame(seq(broken), Options{}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, err := Frame(seq(nil), Options{}, func([]Declaration) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
