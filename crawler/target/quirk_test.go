package target

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/crawler/registry"
)

// quirkRows reads a listing of a published case of a registry that misbehaves.
func quirkRows(t *testing.T, file, listing string) []registry.Row {
	t.Helper()
	text, err := io.ReadAll(sharedFile(t, filepath.Join("..", "reference", "quirks", file)))
	if err != nil {
		t.Fatal(err)
	}
	var quirk struct {
		Wire map[string]json.RawMessage `json:"wire"`
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &quirk); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(quirk.Wire[listing], &list); err != nil {
		t.Fatal(err)
	}
	var rows []registry.Row
	for _, raw := range list {
		rows = append(rows, registry.ReadRow(raw))
	}
	return rows
}

// Remotes that point at the reader's own machine or site: every entry stays in the frame with the rule, none is visited.
func TestQuirkPrivateRemotes(t *testing.T) {
	t.Parallel()
	want := map[string]Reason{
		"org.example/l0": PrivateAddress, "org.example/l1": PrivateAddress, "org.example/l2": PrivateAddress, "org.example/l3": PrivateAddress,
		"org.example/l4": PrivateAddress, "org.example/l5": PrivateAddress, "org.example/l6": PrivateAddress, "org.example/l7": PrivateAddress,
		"org.example/l8": PrivateAddress, "org.example/l9": PrivateAddress, "org.example/l10": UnsupportedScheme, "org.example/l11": InvalidURL,
	}
	f := NewFramer(Options{})
	for _, r := range quirkRows(t, "002-registry-loopback-or-private-remote.json", "listing") {
		if d := f.Add(r); len(d) != 1 || len(d[0].Targets) != 1 {
			t.Errorf("%s: declarations %+v", r.Name, d)
		}
	}
	targets := f.Targets()
	if len(targets) != len(want) {
		t.Errorf("%d targets of %d entries", len(targets), len(want))
	}
	for _, target := range targets {
		if name := target.Names[0]; target.Reason != want[name] || target.Rule == "" {
			t.Errorf("%s: reason %q by rule %q, want %q", name, target.Reason, target.Rule, want[name])
		}
		for _, shown := range []string{Display(target.Raw), Display(target.Key)} {
			if strings.Contains(shown, "pw") || strings.Contains(shown, "abc123") {
				t.Errorf("a secret is shown: %s", shown)
			}
		}
	}
}

// An owner who asked to be removed: the entry stays in the frame, and is not visited.
func TestQuirkWithdrawn(t *testing.T) {
	t.Parallel()
	const file = "005-registry-census-costs-the-publisher.json"
	// The case stands on a host that documents use, so the hosts of every class are admitted.
	before := frame(t, Options{AllowPrivate: true}, quirkRows(t, file, "listing_t0")...)["https://tiny.example.org/"]
	after := frame(t, Options{AllowPrivate: true}, quirkRows(t, file, "listing_t1")...)["https://tiny.example.org/"]
	if before.Reason != Eligible || before.URL != "https://tiny.example.org/" || after.Reason != Withdrawn {
		t.Errorf("reasons %q, then %q", before.Reason, after.Reason)
	}
}
