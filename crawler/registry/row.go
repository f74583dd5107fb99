package registry

import (
	"encoding/json"
	"time"
)

// Shape is how a row is wrapped: which age of the API it comes from.
type Shape string

// The shapes, newest first.
const (
	ShapeCurrent   Shape = "current"    // {server, _meta}, since 2025-09-29
	ShapeFlat      Shape = "flat"       // server.json itself, with the registry's part in its _meta, 2025-09-16
	ShapeExtension Shape = "extension"  // {server, x-io.modelcontextprotocol.registry}, 2025-08
	ShapePreLaunch Shape = "pre_launch" // {id, name, version_detail}, until 2025-07
)

// The statuses of a row.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Deleted    = "deleted"
)

// Row is one row of a list: one version of one server name. Texts are as sent, but that NUL and invalid UTF-8 are
// replaced by U+FFFD; the bytes are in Raw.
type Row struct {
	Index       int             // position on its page, from 0
	Raw         json.RawMessage // the element of the servers array, byte for byte
	Bad         string          // why the row has no identity; empty for a usable row
	Shape       Shape           // empty when it is not an object
	Name        string
	Version     string
	Status      string     // as sent; empty when the registry does not say
	IsLatest    *bool      // nil when the registry does not say
	PublishedAt *time.Time // nil when absent or unreadable
	UpdatedAt   *time.Time // nil when absent or unreadable
	SchemaDate  string     // the date in $schema, or "draft"; weak evidence of what follows
	Repository  string     // URL of the source repository
	Website     string
	Remotes     []Remote
	Packages    []Package
	Anomalies   []string // sorted, each once; see the Odd constants
}

// Remote is one declared endpoint.
type Remote struct {
	Index     int    // position in remotes, from 0
	Type      string // transport type as declared; empty when absent
	URL       string // as declared, templates and all; empty when absent
	Headers   []Input
	Variables []Input // of the templates in URL
	Raw       json.RawMessage
}

// Package is one declared package.
type Package struct {
	Index         int    // position in packages, from 0
	RegistryType  string // such as npm, pypi, oci, nuget, mcpb; as declared
	Identifier    string
	Version       string
	RuntimeHint   string
	TransportType string // as declared; empty when absent
	TransportURL  string
	Raw           json.RawMessage
}

// Input is a header, or a variable of a template, that somebody has to fill in.
type Input struct {
	Name      string
	Required  bool
	Secret    bool
	Value     *string // fixed; nil when absent
	Default   *string // nil when absent
	Choices   []string
	Variables []Input // of the templates in Value
}
