package target

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpcensus/mcpcensus/crawler/registry"
)

// sharedFile opens a file of real data: below MCPCENSUS_SHARED, or below the folder "shared" in a directory above this
// one.
func sharedFile(t *testing.T, name string) io.Reader {
	t.Helper()
	dir := os.Getenv("MCPCENSUS_SHARED")
	if dir == "" {
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; dir == "" && here != filepath.Dir(here); here = filepath.Dir(here) {
			if info, err := os.Stat(filepath.Join(here, "shared")); err == nil && info.IsDir() {
				dir = filepath.Join(here, "shared")
			}
		}
	}
	file, err := os.Open(filepath.Join(dir, "data", name))
	if err != nil {
		t.Skipf("no real data here, set MCPCENSUS_SHARED to test with it: %v", err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// urlRows reads the 10,542 distinct URLs of the registry of 2026-07-28. Each becomes a row of the name that declared it.
func urlRows(t *testing.T) []registry.Row {
	t.Helper()
	lines := bufio.NewScanner(sharedFile(t, "registry-remotes-2026-07-28.tsv"))
	lines.Buffer(nil, 1<<20)
	var rows []registry.Row
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if fields[0] == "url" {
			continue
		}
		for i, name := range strings.Fields(fields[4]) {
			rows = append(rows, registry.Row{
				Name: name, Version: fmt.Sprint(len(rows), i), Status: registry.Active,
				Remotes: []registry.Remote{{URL: fields[0], Type: fields[1]}},
			})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// listingRows reads the 1,160 rows of the registry of 2025-12-07.
func listingRows(t *testing.T) []registry.Row {
	t.Helper()
	unzipped, err := gzip.NewReader(sharedFile(t, "registry-rows-2025-12-07.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var rows []registry.Row
	for lines.Scan() {
		rows = append(rows, registry.ReadRow(json.RawMessage(lines.Text())))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// The numbers are those that an independent computation over the same file gives.
func TestRealURLs(t *testing.T) {
	t.Parallel()
	f := NewFramer(Options{})
	declared := map[string]bool{}
	for _, row := range urlRows(t) {
		for _, d := range f.Add(row) {
			if len(d.Targets) != 1 {
				t.Errorf("%s stands behind %q", d.Raw, d.Targets)
			}
			declared[d.Targets[0]] = true
		}
	}
	counts := f.Counts()[NotDeleted]
	delete(counts, LevelDeclared)
	want := map[Level]int{
		LevelE0: 10371, LevelE1: 10369, LevelE2: 10343, LevelE3: 10198, LevelHost: 7443, LevelDomain: 6203, LevelTemplates: 171, LevelInvalid: 0,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	reasons := map[Reason]int{}
	flags := map[string]int{}
	hostVariables := 0
	for _, target := range f.Targets() {
		if !declared[target.Key] {
			t.Errorf("nobody declares %s", target.Key)
		}
		delete(declared, target.Key)
		reasons[target.Reason]++
		for _, flag := range target.Flags {
			flags[flag]++
		}
		if target.Class == Template && target.Host == "" {
			hostVariables++
		}
	}
	if len(declared) > 0 {
		t.Errorf("%d keys have no target", len(declared))
	}
	wantReasons := map[Reason]int{Eligible: 10363, TemplateNeedsConfig: 171, SpecialUseName: 2, PlaceholderHost: 4}
	if diff := cmp.Diff(wantReasons, reasons); diff != "" {
		t.Error(diff)
	}
	if flags[FlagHostCase] != 4 || flags[FlagPunycode] != 1 || flags[FlagFragment]+flags[FlagUserinfo]+flags[FlagDefaultPort] != 0 {
		t.Errorf("flags %v", flags)
	}
	if hostVariables != 79 {
		t.Errorf("%d templates have a variable in the host", hostVariables)
	}
}

func TestRealRows(t *testing.T) {
	t.Parallel()
	f := NewFramer(Options{})
	remotes, packages := 0, 0
	behind := map[string]int{}
	for _, row := range listingRows(t) {
		for _, d := range f.Add(row) {
			if d.Kind == KindPackage {
				packages++
				continue
			}
			remotes++
			if len(d.Targets) == 0 {
				t.Errorf("%s %s: remote %d is not framed", row.Name, row.Version, d.Index)
			}
			for _, key := range d.Targets {
				behind[key]++
			}
		}
	}
	if remotes != 505 || packages != 880 {
		t.Errorf("%d remotes, %d packages", remotes, packages)
	}
	reasons := map[Reason]int{}
	for _, target := range f.Targets() {
		reasons[target.Reason]++
		if behind[target.Key] == 0 || len(target.Names) == 0 || target.Publisher == "" || target.Operator == "" {
			t.Errorf("target %+v", target)
		}
		delete(behind, target.Key)
	}
	if len(behind) > 0 {
		t.Errorf("%d keys have no target", len(behind))
	}
	t.Logf("reasons %v, counts %v", reasons, f.Counts())
	if reasons[Eligible] == 0 || reasons[Superseded] == 0 {
		t.Errorf("reasons %v", reasons)
	}
}

// No component may be larger than what one party has proven to own.
func TestRealOperators(t *testing.T) {
	t.Parallel()
	f := NewFramer(Options{})
	for _, row := range urlRows(t) {
		f.Add(row)
	}
	for _, row := range listingRows(t) {
		f.Add(row)
	}
	o := f.Operators()
	if largest := o.Components[0]; largest.ID != "domain:clauxel.com" || len(largest.Namespaces) != 75 {
		t.Errorf("largest component %s with %d namespaces", largest.ID, len(largest.Namespaces))
	}
	for _, c := range o.Components[1:] {
		if len(c.Namespaces) > 10 {
			t.Errorf("component %s has %d namespaces: %q", c.ID, len(c.Namespaces), c.Namespaces)
		}
	}
	if o.Of("com.microsoft") != o.Of("io.github.microsoft") || o.Of("io.feedoracle") != o.Of("io.github.feedoracle") {
		t.Error("publishers of one operator are apart")
	}
	if o.Of("ai.smithery") != "ns:ai.smithery" {
		t.Errorf("a gateway is connected with %s", o.Of("ai.smithery"))
	}
}
