package registry

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// realRows finds the rows of the official registry of 2025-12-07, one a line.
func realRows(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(sharedFolder(t), "data", "registry-rows-2025-12-07.jsonl.gz"))
	if err != nil {
		t.Skipf("the real registry rows are not here: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rows = append(rows, lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// sharedFolder is MCPCENSUS_SHARED, or the folder "shared" in a directory above this one.
func sharedFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("MCPCENSUS_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if shared := filepath.Join(dir, "shared"); isDir(shared) {
			return shared
		}
	}
	t.Skip("no folder shared above this one; set MCPCENSUS_SHARED to test with real data")
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func TestCrawlRealRows(t *testing.T) {
	t.Parallel()
	var rows []fakeRow
	remotes, packages := 0, 0
	for _, line := range realRows(t) {
		// An independent reading of the same line says what must be found in it.
		var plain struct {
			Server struct {
				Name, Version     string
				Remotes, Packages []json.RawMessage
			}
			Meta map[string]struct {
				Status   string
				IsLatest bool
			} `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(line), &plain); err != nil {
			t.Fatal(err)
		}
		meta := plain.Meta[officialKey]
		rows = append(rows, fakeRow{name: plain.Server.Name, version: plain.Server.Version, status: meta.Status, latest: meta.IsLatest, raw: line})
		remotes += len(plain.Server.Remotes)
		packages += len(plain.Server.Packages)
	}
	if len(rows) != 1160 || remotes != 505 || packages != 880 {
		t.Fatalf("%d rows, %d remotes, %d packages", len(rows), remotes, packages)
	}
	f := serve(t, rows)
	m := newMemory()
	p := crawled(t, f, m)
	complete(t, p)
	if p.Digest != f.truth(t) || p.Rows != 1160 || p.Names != 505 || p.Latest.Listed != 505 || p.Latest.Different != 0 {
		t.Errorf("proof %+v", p)
	}
	walk := p.Passes[0]
	want := Tally{
		Pages: 12, Rows: 1160,
		Outcomes:     map[string]int{"200": 12},
		RowAnomalies: map[string]int{OddEmptyRepository: 129, OddNoSchema: 7, OddDuplicatePackage: 17, OddDuplicateRemote: 1},
		Shapes:       map[string]int{string(ShapeCurrent): 1160},
	}
	if diff := cmp.Diff(want, walk.Tally); diff != "" {
		t.Error(diff)
	}
	gotRemotes, gotPackages := 0, 0
	for _, page := range m.pages["walk"] {
		c, err := ReadPage(page.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range c.Rows {
			if row.Bad != "" || row.Status != Active || row.IsLatest == nil || row.PublishedAt == nil || row.UpdatedAt == nil {
				t.Errorf("%s %s: %+v", row.Name, row.Version, row)
			}
			for _, remote := range row.Remotes {
				if remote.URL == "" || (remote.Type != "streamable-http" && remote.Type != "sse") {
					t.Errorf("%s %s: remote %+v", row.Name, row.Version, remote)
				}
				gotRemotes++
			}
			for _, pkg := range row.Packages {
				if pkg.Identifier == "" || pkg.RegistryType == "" || pkg.TransportType == "" {
					t.Errorf("%s %s: package %+v", row.Name, row.Version, pkg)
				}
				gotPackages++
			}
		}
	}
	if gotRemotes != remotes || gotPackages != packages {
		t.Errorf("%d remotes of %d, %d packages of %d", gotRemotes, remotes, gotPackages, packages)
	}
}

// The official registry program, when somebody runs it: MCPCENSUS_REGISTRY_URL=http://127.0.0.1:18981
func TestCrawlOfficialProgram(t *testing.T) {
	t.Parallel()
	base := os.Getenv("MCPCENSUS_REGISTRY_URL")
	if base == "" {
		t.Skip("set MCPCENSUS_REGISTRY_URL to the base URL of a registry on this machine to read it")
	}
	client, err := New(Options{Base: base, UserAgent: "mcpcensus-test", Rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	pos, err := client.Crawl(t.Context(), m, Position{}, DefaultCrawlOptions())
	if err != nil {
		t.Fatal(err)
	}
	complete(t, pos.Proof)
	if pos.Proof.Extensions != (Extensions{UpdatedSince: true, Version: true}) || pos.Proof.Passes[0].Repeated != 0 {
		t.Errorf("proof %+v", pos.Proof)
	}
	text, _ := json.Marshal(pos.Proof)
	t.Logf("%s", text)
}
