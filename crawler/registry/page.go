package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Page is one page of a list as it was read.
type Page struct {
	Response
	Seq        int    // position in its pass, from 0
	Limit      int    // rows asked for; smaller than usual only around a row that the registry cannot serve
	Cursor     string // cursor that was sent; empty on the first page
	NextCursor string // cursor for the next page; empty on the last one
	Attempts   int    // requests that it took
	// Stale is the earlier answer when a cache called that one stale and the page was read again; usually nil.
	Stale *Response
}

// PageContent is what a page says.
type PageContent struct {
	Rows       []Row // in order, bad ones included
	NextCursor string
	Count      int      // as declared in the metadata; -1 when absent
	Anomalies  []string // sorted, each once; see the Page constants
}

// Bad returns the number of rows without an identity.
func (c PageContent) Bad() int {
	n := 0
	for i := range c.Rows {
		if c.Rows[i].Bad != "" {
			n++
		}
	}
	return n
}

// Keyed returns the rows that have an identity, in order. Of two rows with the same name and version it is the later.
func (c PageContent) Keyed() []Row {
	at := make(map[[2]string]int, len(c.Rows))
	rows := make([]Row, 0, len(c.Rows))
	for i := range c.Rows {
		row := c.Rows[i]
		key := [2]string{row.Name, row.Version}
		if row.Bad != "" {
			continue
		}
		if j, again := at[key]; again {
			rows[j] = row
			continue
		}
		at[key] = len(rows)
		rows = append(rows, row)
	}
	return rows
}

// ErrNotPage means that the bytes are no page of a list: not one JSON object with an array servers. Whoever reads a
// list must not take that for its end.
var ErrNotPage = errors.New("not a page of a registry list")

// ReadPage decodes a page of any shape that the API has had: the rows are recognised one by one. It fails only when it
// cannot tell the rows or the next cursor.
func ReadPage(body []byte) (PageContent, error) {
	o, flaws, err := wire.ReadObject(body)
	if err != nil {
		return PageContent{}, fmt.Errorf("%w: %w", ErrNotPage, err)
	}
	if slices.Contains(flaws, wire.TrailingBytes) {
		return PageContent{}, fmt.Errorf("%w: bytes behind the object", ErrNotPage)
	}
	raw, _ := o.Get("servers")
	if wire.KindOf(raw) != wire.KindArray {
		return PageContent{}, fmt.Errorf("%w: no array servers", ErrNotPage)
	}
	elements, err := wire.ReadArray(raw)
	if err != nil {
		return PageContent{}, fmt.Errorf("%w: %w", ErrNotPage, err)
	}
	p := PageContent{Rows: make([]Row, len(elements)), Count: -1}
	for _, f := range flaws {
		p.note(pageFlaws[f])
	}
	for i, e := range elements {
		p.Rows[i] = ReadRow(e)
		p.Rows[i].Index = i
	}
	if err := p.readMetadata(o); err != nil {
		return PageContent{}, err
	}
	p.check()
	slices.Sort(p.Anomalies)
	p.Anomalies = slices.Compact(p.Anomalies)
	return p, nil
}

var pageFlaws = map[wire.Flaw]string{
	wire.DuplicateKey: PageDuplicateKey,
	wire.InvalidUTF8:  PageInvalidUTF8,
	wire.TooDeep:      PageTooDeep,
	wire.JSONBOM:      PageByteOrderMark,
}

func (c *PageContent) note(anomaly string) {
	if anomaly != "" {
		c.Anomalies = append(c.Anomalies, anomaly)
	}
}

// readMetadata fails when there is a cursor that it cannot read: to take it for absent would end the walk.
func (c *PageContent) readMetadata(page wire.Object) error {
	raw, _ := page.Get("metadata")
	switch wire.KindOf(raw) {
	case wire.KindInvalid, wire.KindNull:
		c.note(PageNoMetadata)
		return nil
	case wire.KindObject:
	default:
		return fmt.Errorf("%w: metadata is no object", ErrNotPage)
	}
	m, flaws, err := wire.ReadObject(raw)
	if err != nil {
		return fmt.Errorf("%w: metadata: %w", ErrNotPage, err)
	}
	if slices.Contains(flaws, wire.DuplicateKey) {
		c.note(PageDuplicateKey)
	}
	for _, key := range []string{"nextCursor", "next_cursor"} {
		raw, _ := m.Get(key)
		if kind := wire.KindOf(raw); kind == wire.KindInvalid || kind == wire.KindNull {
			continue
		}
		cursor, ok := wire.ReadString(raw)
		if !ok {
			return fmt.Errorf("%w: metadata.%s is no string", ErrNotPage, key)
		}
		if !utf8.ValidString(cursor) {
			return fmt.Errorf("%w: metadata.%s is not UTF-8", ErrNotPage, key)
		}
		if cursor != "" && c.NextCursor == "" {
			c.NextCursor = cursor
			if key == "next_cursor" {
				c.note(PageLegacyCursor)
			}
		}
	}
	if raw, ok := m.Get("count"); !ok {
		c.note(PageCountMissing)
	} else if n, exact, ok := wire.ReadInt(raw); ok && exact && int64(int(n)) == n {
		c.Count = int(n)
	}
	return nil
}

func (c *PageContent) check() {
	if c.Count >= 0 && c.Count != len(c.Rows) {
		c.note(PageCountMismatch)
	}
	if len(c.Rows) > 0 && c.Bad() == len(c.Rows) {
		c.note(PageNoUsableRow)
	}
	if n := len(c.Rows); n > 0 && c.NextCursor != "" && c.NextCursor != c.Rows[n-1].Name+":"+c.Rows[n-1].Version {
		c.note(PageCursorNotLast)
	}
}

// ReadRow decodes one element of the servers array. It never fails: a row without an identity says so in Bad.
func ReadRow(raw json.RawMessage) Row {
	row := Row{Raw: raw}
	r := reader{row: &row}
	r.read(raw)
	slices.Sort(row.Anomalies)
	row.Anomalies = slices.Compact(row.Anomalies)
	return row
}
