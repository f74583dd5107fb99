package registry

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func ptr[T any](v T) *T { return &v }

func TestReadRowShapes(t *testing.T) {
	t.Parallel()
	published := ptr(time.Date(2025, 7, 1, 10, 0, 0, 123456000, time.UTC))
	updated := ptr(time.Date(2025, 7, 2, 10, 0, 0, 0, time.UTC))
	tests := map[string]struct {
		raw  string
		want Row
	}{
		"current": {
			raw: `{"server":{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"com.example/a",
				"version":"1.0.0","websiteUrl":"https://example.com","repository":{"url":"https://github.com/x/a","source":"github"},
				"remotes":[{"type":"streamable-http","url":"https://{host}/mcp","headers":[{"name":"Authorization","value":"Bearer {token}",
				"isRequired":true,"isSecret":true,"variables":{"token":{"isSecret":true}}}],"variables":{"host":{"default":"a.example.com","choices":["a","b"]}}}],
				"packages":[{"registryType":"npm","identifier":"@x/a","version":"1.2.3","runtimeHint":"npx","transport":{"type":"streamable-http","url":"http://localhost:{PORT}/mcp"}}]},
				"_meta":{"io.modelcontextprotocol.registry/official":{"status":"deprecated","statusChangedAt":"2025-07-02T10:00:00Z","publishedAt":"2025-07-01T10:00:00.123456Z",
				"updatedAt":"2025-07-02T12:00:00+02:00","isLatest":true}}}`,
			want: Row{
				Shape: ShapeCurrent, Name: "com.example/a", Version: "1.0.0", Status: Deprecated, IsLatest: ptr(true), PublishedAt: published,
				UpdatedAt: updated, SchemaDate: "2025-12-11", Repository: "https://github.com/x/a", Website: "https://example.com",
				Remotes: []Remote{{
					Type: "streamable-http", URL: "https://{host}/mcp",
					Headers: []Input{{
						Name: "Authorization", Value: ptr("Bearer {token}"), Required: true, Secret: true,
						Variables: []Input{{Name: "token", Secret: true}},
					}},
					Variables: []Input{{Name: "host", Default: ptr("a.example.com"), Choices: []string{"a", "b"}}},
				}},
				Packages: []Package{{
					RegistryType: "npm", Identifier: "@x/a", Version: "1.2.3", RuntimeHint: "npx",
					TransportType: "streamable-http", TransportURL: "http://localhost:{PORT}/mcp",
				}},
			},
		},
		"flat, 2025-09-16": {
			raw: `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-09-16/server.schema.json","name":"com.example/a","version":"1.0.0","status":"active",
				"repository":{"url":"https://github.com/x/a","source":"github"},"packages":[{"registryType":"pypi","identifier":"a","version":"1","transport":{"type":"stdio"}}],
				"_meta":{"io.modelcontextprotocol.registry/official":{"serverId":"b6b1","versionId":"c7c2","publishedAt":"2025-07-01T10:00:00.123456Z",
				"updatedAt":"2025-07-02T10:00:00Z","isLatest":false}}}`,
			want: Row{
				Shape: ShapeFlat, Name: "com.example/a", Version: "1.0.0", Status: Active, IsLatest: ptr(false), PublishedAt: published, UpdatedAt: updated,
				SchemaDate: "2025-09-16", Repository: "https://github.com/x/a",
				Packages: []Package{{RegistryType: "pypi", Identifier: "a", Version: "1", TransportType: "stdio"}},
			},
		},
		"snake case, schema of 2025-07-09": {
			raw: `{"server":{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json","name":"com.example/a","version":"1.0.0",
				"status":"deprecated","website_url":"https://example.com","packages":[{"registry_type":"nuget","registry_base_url":"https://api.nuget.org","identifier":"A",
				"version":"1","runtime_hint":"dnx"}],"remotes":[{"type":"sse","url":"https://a.example.com/sse","headers":[{"name":"X-Key","is_required":true,"is_secret":true}]}]}}`,
			want: Row{
				Shape: ShapeCurrent, Name: "com.example/a", Version: "1.0.0", Status: Deprecated, SchemaDate: "2025-07-09", Website: "https://example.com",
				Remotes:   []Remote{{Type: "sse", URL: "https://a.example.com/sse", Headers: []Input{{Name: "X-Key", Required: true, Secret: true}}}},
				Packages:  []Package{{RegistryType: "nuget", Identifier: "A", Version: "1", RuntimeHint: "dnx"}},
				Anomalies: []string{OddLegacyKeys, OddNoMeta},
			},
		},
		"extension, 2025-08": {
			raw: `{"server":{"name":"com.example/a","version_detail":{"version":"1.0.0"},"packages":[{"registry_name":"docker","name":"x/a","version":"1","transport":"stdio"}],
				"remotes":[{"transport_type":"streamable","url":"https://a.example.com/mcp"},{"transport":{"type":"sse"},"url":"https://a.example.com/sse"}]},
				"x-io.modelcontextprotocol.registry":{"id":"d8d3","is_latest":true,"published_at":"2025-07-01T10:00:00.123456Z","updated_at":"2025-07-02T10:00:00Z"},
				"x-publisher":{"anything":1}}`,
			want: Row{
				Shape: ShapeExtension, Name: "com.example/a", Version: "1.0.0", IsLatest: ptr(true), PublishedAt: published, UpdatedAt: updated,
				Remotes: []Remote{
					{Index: 0, Type: "streamable", URL: "https://a.example.com/mcp"},
					{Index: 1, Type: "sse", URL: "https://a.example.com/sse"},
				},
				Packages:  []Package{{RegistryType: "docker", Identifier: "x/a", Version: "1", TransportType: "stdio"}},
				Anomalies: []string{OddLegacyKeys, OddNoSchema, OddNoStatus},
			},
		},
		"before launch": {
			raw: `{"id":"e9e4","name":"com.example/a","description":"d","repository":{"url":"https://github.com/x/a","source":"github","id":"1"},
				"version_detail":{"version":"0.1.0","release_date":"2025-07-01T10:00:00.123456Z","is_latest":true},
				"packages":[{"registry_name":"npm","name":"a","version":"0.1.0","runtime_hint":"npx"}],
				"remotes":[{"transport_type":"sse","url":"https://a.example.com/sse","headers":[]}]}`,
			want: Row{
				Shape: ShapePreLaunch, Name: "com.example/a", Version: "0.1.0", IsLatest: ptr(true), PublishedAt: published, Repository: "https://github.com/x/a",
				Remotes:   []Remote{{Type: "sse", URL: "https://a.example.com/sse"}},
				Packages:  []Package{{RegistryType: "npm", Identifier: "a", Version: "0.1.0", RuntimeHint: "npx"}},
				Anomalies: []string{OddLegacyKeys, OddNoSchema, OddNoStatus},
			},
		},
		"everything of the wrong type": {
			raw: `{"server":{"$schema":7,"name":"com.example/a","version":"1","repository":"https://github.com/x/a","websiteUrl":false,"Remotes":[],
				"remotes":["x",{"type":1,"url":2,"headers":{"a":1},"variables":[1]}],"packages":{}},
				"_meta":{"io.modelcontextprotocol.registry/official":{"status":"gone","publishedAt":"yesterday","isLatest":"yes"}}}`,
			want: Row{
				Shape: ShapeCurrent, Name: "com.example/a", Version: "1", Status: "gone", Repository: "https://github.com/x/a",
				Remotes: []Remote{{Index: 0}, {Index: 1, Headers: []Input{{Name: "a"}}}},
				Anomalies: []string{
					OddCaseVariantKey, OddDuplicateRemote, OddNoLatest, OddNoSchema, OddRemoteNoType, OddRemoteNoURL, OddType, OddUnknownStatus, OddTime,
				},
			},
		},
		"duplicates, NUL and nulls": {
			raw: `{"server":{"$schema":"https://example.com/s.json","name":"com.example/a","name":"com.example/b","version":" 1 ","repository":{},"remotes":null,
				"websiteUrl":"https://a.example.com/\u0000","packages":[{"registryType":"oci","identifier":"i"},{"registryType":"oci","identifier":"i"},{}]},
				"_meta":{"io.modelcontextprotocol.registry/official":{"status":"active","isLatest":true}}}`,
			want: Row{
				Shape: ShapeCurrent, Name: "com.example/a", Version: " 1 ", Status: Active, IsLatest: ptr(true), Website: "https://a.example.com/\uFFFD",
				Packages: []Package{{Index: 0, RegistryType: "oci", Identifier: "i"}, {Index: 1, RegistryType: "oci", Identifier: "i"}, {Index: 2}},
				Anomalies: []string{
					OddDuplicateKey, OddDuplicatePackage, OddEmptyRepository, OddPackageNoID, OddPackageNoType, OddText, OddSchema,
				},
			},
		},
		"not an object":     {raw: `"x"`, want: Row{Bad: BadNotObject}},
		"null":              {raw: `null`, want: Row{Bad: BadNotObject}},
		"server is no obj":  {raw: `{"server":[]}`, want: Row{Bad: BadNoServer, Shape: ShapeCurrent}},
		"no name":           {raw: `{"server":{"version":"1"}}`, want: Row{Bad: BadNoName, Shape: ShapeCurrent, Version: "1", Anomalies: []string{OddNoMeta, OddNoSchema}}},
		"name is a number":  {raw: `{"name":1,"version":"1"}`, want: Row{Bad: BadNoName, Shape: ShapeFlat, Version: "1", Anomalies: []string{OddNoMeta, OddNoSchema}}},
		"name in wrong key": {raw: `{"Name":"a","version":"1"}`, want: Row{Bad: BadNoName, Shape: ShapeFlat, Version: "1", Anomalies: []string{OddCaseVariantKey, OddNoMeta, OddNoSchema}}},
		"no version":        {raw: `{"name":"a","version":""}`, want: Row{Bad: BadNoVersion, Shape: ShapeFlat, Name: "a", Anomalies: []string{OddNoMeta, OddNoSchema}}},
		"NUL in the name":   {raw: `{"name":"a\u0000","version":"1"}`, want: Row{Bad: BadName, Shape: ShapeFlat, Name: "a\uFFFD", Version: "1", Anomalies: []string{OddNoMeta, OddNoSchema}}},
		"bad UTF-8 version": {raw: "{\"name\":\"a\",\"version\":\"\xff\"}", want: Row{Bad: BadVersion, Shape: ShapeFlat, Name: "a", Version: "\uFFFD", Anomalies: []string{OddNoMeta, OddNoSchema}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ReadRow(json.RawMessage(tt.raw))
			if string(got.Raw) != tt.raw {
				t.Errorf("raw bytes changed to %q", got.Raw)
			}
			slices.Sort(tt.want.Anomalies)
			ignore := cmp.Options{
				cmpopts.IgnoreFields(Row{}, "Raw"), cmpopts.IgnoreFields(Remote{}, "Raw"), cmpopts.IgnoreFields(Package{}, "Raw"), cmpopts.EquateEmpty(),
			}
			if diff := cmp.Diff(tt.want, got, ignore); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadPage(t *testing.T) {
	t.Parallel()
	row := `{"server":{"name":"a","version":"1"}}`
	tests := map[string]struct {
		body      string
		err       bool
		rows      int
		cursor    string
		anomalies []string
	}{
		"last page":             {body: `{"servers":[],"metadata":{"count":0}}`},
		"page":                  {body: `{"servers":[` + row + `],"metadata":{"nextCursor":"a:1","count":1}}`, rows: 1, cursor: "a:1"},
		"empty cursor":          {body: `{"servers":[` + row + `],"metadata":{"nextCursor":"","count":1}}`, rows: 1},
		"null cursor":           {body: `{"servers":[],"metadata":{"nextCursor":null,"count":0}}`},
		"old cursor":            {body: `{"servers":[` + row + `],"metadata":{"next_cursor":"e9e4","count":1,"total":7}}`, rows: 1, cursor: "e9e4", anomalies: []string{PageCursorNotLast, PageLegacyCursor}},
		"no metadata":           {body: `{"servers":[` + row + `]}`, rows: 1, anomalies: []string{PageNoMetadata}},
		"no count":              {body: `{"servers":[],"metadata":{}}`, anomalies: []string{PageCountMissing}},
		"wrong count":           {body: `{"servers":[` + row + `],"metadata":{"count":2}}`, rows: 1, anomalies: []string{PageCountMismatch}},
		"only bad rows":         {body: `{"servers":[1,{}],"metadata":{"count":2}}`, rows: 2, anomalies: []string{PageNoUsableRow}},
		"key twice":             {body: `{"servers":[],"servers":[1],"metadata":{"count":0}}`, anomalies: []string{PageDuplicateKey}},
		"byte order mark":       {body: "\xef\xbb\xbf" + `{"servers":[],"metadata":{"count":0}}`, anomalies: []string{PageByteOrderMark}},
		"HTML":                  {body: `<html>429 Too Many Requests</html>`, err: true},
		"empty":                 {body: ``, err: true},
		"cut":                   {body: `{"servers":[` + row + `],"metadata":{"nextCursor":"a`, err: true},
		"something behind":      {body: `{"servers":[],"metadata":{"count":0}}<!-- -->`, err: true},
		"an array":              {body: `[]`, err: true},
		"no servers":            {body: `{"metadata":{"count":0}}`, err: true},
		"servers null":          {body: `{"servers":null,"metadata":{"count":0}}`, err: true},
		"servers in other case": {body: `{"Servers":[],"metadata":{"count":0}}`, err: true},
		"servers an object":     {body: `{"servers":{}}`, err: true},
		"an error":              {body: `{"title":"Internal Server Error","status":500}`, err: true},
		"cursor a number":       {body: `{"servers":[],"metadata":{"nextCursor":7}}`, err: true},
		"cursor not UTF-8":      {body: "{\"servers\":[],\"metadata\":{\"nextCursor\":\"\xff\"}}", err: true},
		"metadata an array":     {body: `{"servers":[],"metadata":[]}`, err: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadPage([]byte(tt.body))
			if (err != nil) != tt.err || (err != nil && !errors.Is(err, ErrNotPage)) {
				t.Fatalf("error %v", err)
			}
			if len(got.Rows) != tt.rows || got.NextCursor != tt.cursor || !slices.Equal(got.Anomalies, tt.anomalies) {
				t.Errorf("%d rows, cursor %q, anomalies %q", len(got.Rows), got.NextCursor, got.Anomalies)
			}
		})
	}
}

func TestKeyedKeepsTheLater(t *testing.T) {
	t.Parallel()
	c, err := ReadPage([]byte(`{"servers":[{"name":"a","version":"1","status":"active"},{},{"name":"b","version":"1"},{"name":"a","version":"1","status":"deleted"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := c.Keyed()
	if len(rows) != 2 || rows[0].Status != Deleted || rows[1].Name != "b" || c.Bad() != 1 {
		t.Errorf("got %+v", rows)
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add([]byte(`{"servers":[{"server":{"name":"a","version":"1","remotes":[{"type":"sse","url":"u","headers":[{"name":"n","variables":{"v":{"variables":{"w":{}}}}}]}]},"_meta":{"io.modelcontextprotocol.registry/official":{"isLatest":true,"publishedAt":"2025-01-01T00:00:00Z"}}}],"metadata":{"nextCursor":"a:1","count":1}}`))
	f.Add([]byte(`{"servers":[{"id":"1","name":"a","version_detail":{"version":"1","release_date":"x"},"packages":[{"registry_name":"npm"}]},7,null],"metadata":{"next_cursor":"z"}}`))
	f.Add([]byte(`{"servers":[{"server":{},"x-io.modelcontextprotocol.registry":{"is_latest":true}}]}`))
	f.Add([]byte("{\"servers\":[{\"name\":\"\\u0000\",\"version\":\"\xff\"}]}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := ReadPage(body)
		if err != nil {
			if !errors.Is(err, ErrNotPage) {
				t.Fatalf("another error: %v", err)
			}
			return
		}
		if !json.Valid(body) && len(body) > 3 && body[0] != 0xef {
			t.Fatal("took bytes for a page that are not JSON")
		}
		for i, row := range c.Rows {
			if row.Index != i || len(row.Raw) == 0 {
				t.Fatalf("row %d lost its place or bytes", i)
			}
			if row.Bad == "" && (row.Name == "" || row.Version == "") {
				t.Fatalf("row %d has no identity and is not bad", i)
			}
			for _, s := range []string{row.Name, row.Version, row.Status, row.Website, row.Repository} {
				if storable(s) != s {
					t.Fatalf("row %d: %q cannot be stored", i, s)
				}
			}
			again := ReadRow(row.Raw)
			again.Index = i
			if diff := cmp.Diff(row, again); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
