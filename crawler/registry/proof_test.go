package registry

import (
	"slices"
	"testing"
)

func TestCompleteNamesEveryReason(t *testing.T) {
	t.Parallel()
	p := Proof{
		Chain: "x", Closing: ClosingSkipped, Passes: []PassProof{{Gaps: []Gap{{}}, Tally: Tally{Rows: 3, Bad: 3}}},
		Latest: LatestProof{Skipped: "x", Unexplained: []string{"a"}}, Spot: SpotProof{Wrong: []string{"a"}}, Digest: "a", Replayed: "b",
	}
	ok, reasons := p.Complete()
	if ok || len(reasons) != 9 {
		t.Errorf("%d reasons: %q", len(reasons), reasons)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	rows := map[[2]string]Stored{}
	for _, key := range [][2]string{{"a", "2"}, {"a", "1"}, {"B", "1"}} {
		rows[key] = Stored{Name: key[0], Version: key[1], SHA256: [32]byte{1}}
	}
	digest, err := Digest(sortedRows(rows))
	// printf 'B\0001\000%s\na\0001\000%s\na\0002\000%s\n' with the hash 01 and 31 times 00, through sha256sum.
	if want := "a20cbe482bf50ecdca48765c5a4f24d540dc0dec4462948513be80ad4348ca39"; err != nil || digest != want {
		t.Errorf("digest %s, %v", digest, err)
	}
	backwards := func(yield func(Stored, error) bool) {
		_ = yield(rows[[2]string{"a", "2"}], nil) && yield(rows[[2]string{"a", "1"}], nil)
	}
	if _, err := Digest(backwards); err == nil {
		t.Error("rows in the wrong order were summed up")
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	f := serve(t, makeRows(330))
	m := newMemory()
	crawled(t, f, m)
	faultOf := func(change func([]Page) []Page) string {
		damaged := &memory{pages: map[string][]Page{"walk": change(slices.Clone(m.pages["walk"]))}}
		fault, err := Chain(damaged.Pages(t.Context(), "walk"))
		if err != nil {
			t.Fatal(err)
		}
		return fault
	}
	if fault := faultOf(func(p []Page) []Page { return p }); fault != "" {
		t.Errorf("a sound chain: %s", fault)
	}
	for name, change := range map[string]func([]Page) []Page{
		"page missing": func(p []Page) []Page { return slices.Delete(p, 1, 2) },
		"tail missing": func(p []Page) []Page { return p[:2] },
		"no page":      func([]Page) []Page { return nil },
		"cursor":       func(p []Page) []Page { p[1].Cursor = "x"; return p },
		"body":         func(p []Page) []Page { p[1].Body = p[2].Body; return p },
		"too many":     func(p []Page) []Page { last := p[len(p)-1]; last.Seq++; return append(p, last) },
	} {
		if faultOf(change) == "" {
			t.Errorf("%s: not noticed", name)
		}
	}
}
