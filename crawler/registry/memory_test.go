package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"testing"
)

// memory is a store that can be killed: it loses the commit during which that happens.
type memory struct {
	rows    map[[2]string]Stored
	pages   map[string][]Page
	pos     []byte // as JSON, as a database has it
	commits int
	killAt  int // the commit that is lost; 0 means none
}

var errKilled = fmt.Errorf("killed")

func newMemory() *memory { return &memory{rows: map[[2]string]Stored{}, pages: map[string][]Page{}} }

func (m *memory) position(t *testing.T) Position {
	t.Helper()
	var pos Position
	if m.pos != nil {
		if err := json.Unmarshal(m.pos, &pos); err != nil {
			t.Fatal(err)
		}
	}
	return pos
}

func (m *memory) commit(pos Position) error {
	if m.commits++; m.commits == m.killAt {
		return errKilled
	}
	var err error
	m.pos, err = json.Marshal(pos)
	return err
}

func (m *memory) Save(_ context.Context, pos Position) error { return m.commit(pos) }

func (m *memory) Page(_ context.Context, pass Pass, p Page, c PageContent, after func(Change) Position) error {
	rows := maps.Clone(m.rows)
	var change Change
	if pass.Applies {
		for _, row := range c.Keyed() {
			key, now := [2]string{row.Name, row.Version}, StoredRow(row)
			switch was, known := rows[key]; {
			case !known:
				change.New++
			case was.SHA256 != now.SHA256:
				change.Changed++
			default:
				change.Same++
			}
			rows[key] = now
		}
	}
	if err := m.commit(after(change)); err != nil {
		return err
	}
	m.rows = rows
	m.pages[pass.Name] = append(m.pages[pass.Name], p)
	return nil
}

func (m *memory) Pages(_ context.Context, pass string) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for _, p := range m.pages[pass] {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (m *memory) Rows(_ context.Context, name string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for row := range sortedRows(m.rows) {
			if (name == "" || row.Name == name) && !yield(row, nil) {
				return
			}
		}
	}
}

// truth is the digest of what the registry holds now.
func (f *fake) truth(t *testing.T) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := map[[2]string]Stored{}
	for _, row := range f.rows {
		read := ReadRow(json.RawMessage(row.json()))
		rows[[2]string{read.Name, read.Version}] = StoredRow(read)
	}
	digest, err := Digest(sortedRows(rows))
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// collect is a sink that keeps everything.
type collect struct {
	pages    []Page
	contents []PageContent
	states   []State
	failed   int
}

func (c *collect) Page(_ context.Context, p Page, content PageContent, next State) error {
	c.pages, c.contents, c.states = append(c.pages, p), append(c.contents, content), append(c.states, next)
	return nil
}

func (c *collect) Failed(context.Context, State) error { c.failed++; return nil }

func (c *collect) keys() []string {
	var keys []string
	for _, content := range c.contents {
		for _, row := range content.Rows {
			keys = append(keys, row.Name+":"+row.Version)
		}
	}
	return keys
}

func (f *fake) keys() []string {
	var keys []string
	for _, row := range f.rows {
		keys = append(keys, row.name+":"+row.version)
	}
	return keys
}
