package registry

import (
	"encoding/json"
	"regexp"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

var schemaDate = regexp.MustCompile(`/(\d{4}-\d{2}-\d{2}|draft)/`)

// server reads a server.json, whatever the version of its schema: the current spelling of a key comes first.
func (r *reader) server(o wire.Object) {
	if len(wire.CaseVariants(o, "$schema", "name", "version", "repository", "websiteUrl", "remotes", "packages")) > 0 {
		r.note(OddCaseVariantKey)
	}
	switch schema := r.text(o, "$schema"); {
	case schema == "":
		r.note(OddNoSchema)
	case schemaDate.MatchString(schema):
		r.row.SchemaDate = schemaDate.FindStringSubmatch(schema)[1]
	default:
		r.note(OddSchema)
	}
	r.row.Website = r.text(o, "websiteUrl", "website_url")
	r.row.Repository = r.repository(o)
	for i, raw := range r.array(o, "remotes") {
		r.row.Remotes = append(r.row.Remotes, r.remote(i, raw))
	}
	for i, raw := range r.array(o, "packages") {
		r.row.Packages = append(r.row.Packages, r.pkg(i, raw))
	}
	r.repeats()
}

// repository accepts the bare URL that package.json allows beside the object.
func (r *reader) repository(o wire.Object) string {
	raw, ok := r.get(o, "repository")
	if !ok {
		return ""
	}
	if url, ok := wire.ReadString(raw); ok {
		r.note(OddType)
		return r.clean(url)
	}
	repository, ok := r.part(raw)
	if !ok {
		return ""
	}
	url := r.text(repository, "url")
	if url == "" {
		r.note(OddEmptyRepository)
	}
	return url
}

func (r *reader) remote(i int, raw json.RawMessage) Remote {
	m := Remote{Index: i, Raw: raw}
	o, _ := r.part(raw)
	m.Type, _ = r.transport(o, "type", "transport_type", "transportType", "transport")
	m.URL = r.text(o, "url")
	m.Headers = r.inputs(o, "headers", 1)
	m.Variables = r.inputs(o, "variables", 1)
	if m.URL == "" {
		r.note(OddRemoteNoURL)
	}
	if m.Type == "" {
		r.note(OddRemoteNoType)
	}
	return m
}

func (r *reader) pkg(i int, raw json.RawMessage) Package {
	p := Package{Index: i, Raw: raw}
	o, _ := r.part(raw)
	p.RegistryType = r.text(o, "registryType", "registry_type", "registry_name")
	p.Identifier = r.text(o, "identifier", "name")
	p.Version = r.text(o, "version")
	p.RuntimeHint = r.text(o, "runtimeHint", "runtime_hint")
	p.TransportType, p.TransportURL = r.transport(o, "transport", "transport_type", "transportType")
	if p.Identifier == "" {
		r.note(OddPackageNoID)
	}
	if p.RegistryType == "" {
		r.note(OddPackageNoType)
	}
	return p
}

// transport reads a type that is a string, or an object {type, url}.
func (r *reader) transport(o wire.Object, keys ...string) (kind, url string) {
	raw, ok := r.get(o, keys...)
	if !ok {
		return "", ""
	}
	if s, ok := wire.ReadString(raw); ok {
		return r.clean(s), ""
	}
	t, ok := r.part(raw)
	if !ok {
		return "", ""
	}
	return r.text(t, "type"), r.text(t, "url")
}

// maxInputDepth is how deep variables inside headers or variables are read; the schema needs two levels.
const maxInputDepth = 4

// inputs reads headers, an array of objects with names, or variables, an object of objects.
func (r *reader) inputs(o wire.Object, key string, depth int) []Input {
	raw, ok := r.get(o, key)
	if !ok {
		return nil
	}
	if depth > maxInputDepth {
		r.note(OddType)
		return nil
	}
	var inputs []Input
	if wire.KindOf(raw) == wire.KindArray {
		for _, element := range r.array(o, key) {
			if input, ok := r.part(element); ok {
				inputs = append(inputs, r.input(r.text(input, "name"), input, depth))
			}
		}
		return inputs
	}
	named, ok := r.object(raw)
	if !ok {
		r.note(OddType)
	}
	done := map[string]bool{}
	for _, name := range named.Keys() {
		if done[name] {
			continue
		}
		done[name] = true
		value, _ := named.Get(name)
		input, ok := r.object(value)
		if !ok {
			r.note(OddType)
		}
		inputs = append(inputs, r.input(r.clean(name), input, depth))
	}
	return inputs
}

func (r *reader) input(name string, o wire.Object, depth int) Input {
	in := Input{
		Name:      name,
		Required:  r.flag(o, "isRequired", "is_required"),
		Secret:    r.flag(o, "isSecret", "is_secret"),
		Variables: r.inputs(o, "variables", depth+1),
	}
	if raw, ok := r.get(o, "value"); ok {
		in.Value = r.scalar(raw)
	}
	if raw, ok := r.get(o, "default"); ok {
		in.Default = r.scalar(raw)
	}
	for _, raw := range r.array(o, "choices") {
		if choice := r.scalar(raw); choice != nil {
			in.Choices = append(in.Choices, *choice)
		}
	}
	return in
}

// repeats notes what one row declares twice; both are kept.
func (r *reader) repeats() {
	remotes := map[[2]string]bool{}
	for _, m := range r.row.Remotes {
		key := [2]string{m.Type, m.URL}
		if remotes[key] {
			r.note(OddDuplicateRemote)
		}
		remotes[key] = true
	}
	packages := map[[3]string]bool{}
	for _, p := range r.row.Packages {
		key := [3]string{p.RegistryType, p.Identifier, p.Version}
		if packages[key] {
			r.note(OddDuplicatePackage)
		}
		packages[key] = true
	}
}
