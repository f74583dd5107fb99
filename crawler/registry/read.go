package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Keys under which a registry adds what it knows itself.
const (
	officialKey  = "io.modelcontextprotocol.registry/official"
	extensionKey = "x-io.modelcontextprotocol.registry"
)

// reader decodes one row and notes what is odd about it.
type reader struct{ row *Row }

func (r *reader) note(anomaly string) { r.row.Anomalies = append(r.row.Anomalies, anomaly) }

func (r *reader) read(raw json.RawMessage) {
	outer, ok := r.object(raw)
	if !ok {
		r.row.Bad = BadNotObject
		return
	}
	server := outer
	var official wire.Object
	switch inner, wrapped := outer.Get("server"); {
	case wrapped:
		r.row.Shape = ShapeCurrent
		if server, ok = r.object(inner); !ok {
			r.row.Bad = BadNoServer
			return
		}
		if x, ok := outer.Get(extensionKey); ok {
			r.row.Shape = ShapeExtension
			official, _ = r.object(x)
		} else {
			official = r.officialMeta(outer)
		}
	default:
		r.row.Shape = ShapeFlat
		official = r.officialMeta(outer)
	}
	detail, _ := server.Get("version_detail")
	if wire.KindOf(detail) == wire.KindObject {
		r.note(OddLegacyKeys)
		if r.row.Shape == ShapeFlat {
			r.row.Shape = ShapePreLaunch
		}
	}
	versionDetail, _ := r.object(detail)
	r.identity(server, versionDetail)
	r.registryPart(server, official, versionDetail)
	r.server(server)
}

func (r *reader) officialMeta(o wire.Object) wire.Object {
	meta, _ := o.Get("_meta")
	if wire.KindOf(meta) != wire.KindObject {
		return wire.Object{}
	}
	m, _ := r.object(meta)
	raw, ok := m.Get(officialKey)
	if !ok {
		return wire.Object{}
	}
	official, _ := r.part(raw)
	return official
}

// identity sets name and version exactly as sent: they are keys, nothing in them may be repaired.
func (r *reader) identity(server, detail wire.Object) {
	version, hasVersion := server.Get("version")
	if !hasVersion {
		version, _ = detail.Get("version")
	}
	name, _ := server.Get("name")
	n, nameOK := wire.ReadString(name)
	v, versionOK := wire.ReadString(version)
	r.row.Name, r.row.Version = storable(n), storable(v)
	switch {
	case !nameOK || n == "":
		r.row.Bad = BadNoName
	case n != r.row.Name:
		r.row.Bad = BadName
	case !versionOK || v == "":
		r.row.Bad = BadNoVersion
	case v != r.row.Version:
		r.row.Bad = BadVersion
	}
}

// registryPart reads what the registry knows of the row, wherever its age put that.
func (r *reader) registryPart(server, official, detail wire.Object) {
	known := official.Len() > 0 || detail.Len() > 0
	if !known {
		r.note(OddNoMeta)
	}
	r.row.Status = r.text(official, "status")
	if r.row.Status == "" {
		r.row.Status = r.text(server, "status")
	}
	switch r.row.Status {
	case Active, Deprecated, Deleted:
	case "":
		if known {
			r.note(OddNoStatus)
		}
	default:
		r.note(OddUnknownStatus)
	}
	for _, o := range []wire.Object{official, detail} {
		if raw, ok := r.get(o, "isLatest", "is_latest"); ok && r.row.IsLatest == nil {
			if latest, ok := wire.ReadBool(raw); ok {
				r.row.IsLatest = &latest
			} else {
				r.note(OddType)
			}
		}
		if r.row.PublishedAt == nil {
			r.row.PublishedAt = r.time(o, "publishedAt", "published_at", "releaseDate", "release_date")
		}
	}
	if known && r.row.IsLatest == nil {
		r.note(OddNoLatest)
	}
	r.row.UpdatedAt = r.time(official, "updatedAt", "updated_at")
}

func (r *reader) time(o wire.Object, keys ...string) *time.Time {
	s := r.text(o, keys...)
	if s == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		r.note(OddTime)
		return nil
	}
	t = t.UTC()
	return &t
}

// object reads an object and notes a repeated key. It is false for anything else, absence included.
func (r *reader) object(raw json.RawMessage) (wire.Object, bool) {
	o, flaws, err := wire.ReadObject(raw)
	if err != nil {
		return wire.Object{}, false
	}
	if slices.Contains(flaws, wire.DuplicateKey) {
		r.note(OddDuplicateKey)
	}
	return o, true
}

// part reads an object, too, and notes when it is something else.
func (r *reader) part(raw json.RawMessage) (wire.Object, bool) {
	o, ok := r.object(raw)
	if !ok {
		r.note(OddType)
	}
	return o, ok
}

// array reads the elements of an array under one of the keys. Absent and null are an empty one.
func (r *reader) array(o wire.Object, keys ...string) []json.RawMessage {
	raw, ok := r.get(o, keys...)
	if !ok {
		return nil
	}
	list, err := wire.ReadArray(raw)
	if err != nil {
		r.note(OddType)
	}
	return list
}

// get returns the first of the keys that is there and not null. The first key is the current spelling.
func (r *reader) get(o wire.Object, keys ...string) (json.RawMessage, bool) {
	for i, key := range keys {
		raw, _ := o.Get(key)
		if kind := wire.KindOf(raw); kind == wire.KindInvalid || kind == wire.KindNull {
			continue
		}
		if i > 0 {
			r.note(OddLegacyKeys)
		}
		return raw, true
	}
	return nil, false
}

// text returns the string under the first of the keys that is there.
func (r *reader) text(o wire.Object, keys ...string) string {
	raw, ok := r.get(o, keys...)
	if !ok {
		return ""
	}
	s, ok := wire.ReadString(raw)
	if !ok {
		r.note(OddType)
		return ""
	}
	return r.clean(s)
}

// scalar returns a string, number or boolean as text.
func (r *reader) scalar(raw json.RawMessage) *string {
	switch wire.KindOf(raw) {
	case wire.KindString:
		s, _ := wire.ReadString(raw)
		s = r.clean(s)
		return &s
	case wire.KindNumber, wire.KindBool:
		s := strings.TrimSpace(string(raw))
		return &s
	case wire.KindInvalid, wire.KindNull:
	default:
		r.note(OddType)
	}
	return nil
}

func (r *reader) flag(o wire.Object, keys ...string) bool {
	raw, ok := r.get(o, keys...)
	if !ok {
		return false
	}
	v, ok := wire.ReadBool(raw)
	if !ok {
		r.note(OddType)
	}
	return v
}

func (r *reader) clean(s string) string {
	c := storable(s)
	if c != s {
		r.note(OddText)
	}
	return c
}

// storable replaces what a text column cannot hold.
func storable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
