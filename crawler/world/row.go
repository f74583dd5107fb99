package world

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// The statuses of a row.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Deleted    = "deleted"
)

// Row is one version of one name, as the registry keeps it.
type Row struct {
	Name, Version   string
	Status          string
	StatusMessage   string
	StatusChangedAt time.Time // zero when the row never said
	PublishedAt     time.Time
	UpdatedAt       time.Time
	Latest          bool
	Server          json.RawMessage // the server.json, which holds name and version again

	raw json.RawMessage // the listing row as it was read, until something changes
}

// official is the registry's own part of a listing row.
type official struct {
	Status          string     `json:"status"`
	StatusMessage   string     `json:"statusMessage,omitempty"`
	StatusChangedAt *time.Time `json:"statusChangedAt,omitempty"`
	PublishedAt     time.Time  `json:"publishedAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
	Latest          bool       `json:"isLatest"`
}

type listingRow struct {
	Server json.RawMessage `json:"server"`
	Meta   struct {
		Official official `json:"io.modelcontextprotocol.registry/official"`
	} `json:"_meta"`
}

// ParseRow reads one row of a listing. The bytes are served again as they are until the row changes.
func ParseRow(raw []byte) (Row, error) {
	var l listingRow
	if err := json.Unmarshal(raw, &l); err != nil {
		return Row{}, fmt.Errorf("read a registry row: %w", err)
	}
	var server struct{ Name, Version string }
	if err := json.Unmarshal(l.Server, &server); err != nil {
		return Row{}, fmt.Errorf("read the server.json of a registry row: %w", err)
	}
	o := l.Meta.Official
	row := Row{
		Name: server.Name, Version: server.Version, Status: o.Status, StatusMessage: o.StatusMessage,
		PublishedAt: o.PublishedAt, UpdatedAt: o.UpdatedAt, Latest: o.Latest, Server: l.Server, raw: bytes.Clone(raw),
	}
	if o.StatusChangedAt != nil {
		row.StatusChangedAt = *o.StatusChangedAt
	}
	return row, nil
}

// ReadRows reads listing rows, one a line.
func ReadRows(r io.Reader) ([]Row, error) {
	var rows []Row
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		row, err := ParseRow(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read registry rows: %w", err)
	}
	return rows, nil
}

// MarshalJSON gives the row as a listing holds it.
func (r Row) MarshalJSON() ([]byte, error) {
	if r.raw != nil {
		return r.raw, nil
	}
	var l listingRow
	l.Server = r.Server
	l.Meta.Official = official{
		Status: r.Status, StatusMessage: r.StatusMessage, PublishedAt: micro(r.PublishedAt), UpdatedAt: micro(r.UpdatedAt), Latest: r.Latest,
	}
	if !r.StatusChangedAt.IsZero() {
		changed := micro(r.StatusChangedAt)
		l.Meta.Official.StatusChangedAt = &changed
	}
	return json.Marshal(l)
}

// micro is the precision of the registry's database.
func micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// key orders rows as the registry does: bytewise by name, then by version.
func (r Row) key() [2]string { return [2]string{r.Name, r.Version} }

func less(a, b [2]string) bool {
	if a[0] != b[0] {
		return a[0] < b[0]
	}
	return a[1] < b[1]
}
