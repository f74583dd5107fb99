package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// subschema is a value that is used as a schema.
type subschema struct {
	*node
	resource *resource
	same     []*subschema // schemas that apply to the same value when this one does
	state    int          // of the search for loops
}

// resource is a schema with a URI of its own, and what belongs to it.
type resource struct {
	uri     *url.URL
	root    *node
	anchors map[string]*node
}

// walk follows every reference of a schema that its metaschema accepts.
type walk struct {
	dialect   dialect
	resources map[string]*resource // by URI without fragment
	embedded  bool                 // there is a resource inside the schema
	all       []*subschema         // in the order found
	work      int
	dangling  []string
	external  []string
	foreign   []string // resources of another dialect
}

// base is the URI of a schema without one. Nothing relative to it can be meant.
var base = url.URL{Scheme: "mcpcensus-schema", Host: "root.invalid", Path: "/"}

func follow(root *node, d dialect) (reason string, told []string) {
	w := &walk{dialect: d, resources: map[string]*resource{}}
	home := &resource{uri: &base, root: root, anchors: map[string]*node{}}
	w.resources[base.String()] = home
	w.add(root, home)
	entered, referred := 0, 0
	for entered < len(w.all) || referred < len(w.all) {
		switch {
		case w.work > maxWork:
			return TooLarge, []string{": its references are too much work to follow"}
		case entered < len(w.all): // all resources and anchors first
			w.enter(w.all[entered])
			entered++
		default:
			w.refer(w.all[referred])
			referred++
		}
	}
	switch {
	case len(w.foreign) > 0:
		return UnknownDialect, w.foreign
	case len(w.dangling) > 0:
		return RefDangling, w.dangling
	}
	if at := w.loop(); at != nil {
		return RefLoop, []string{at.pointer() + ": refers back to itself for the same value"}
	}
	if len(w.external) > 0 {
		return ExternalRef, w.external
	}
	return OK, nil
}

// add notes that n is used as a schema of the resource.
func (w *walk) add(n *node, r *resource) *subschema {
	if n.schema == nil {
		n.schema = &subschema{node: n, resource: r}
		w.all = append(w.all, n.schema)
	}
	return n.schema
}

// tell keeps the first few errors.
func tell(list *[]string, n *node, format string, args ...any) {
	if len(*list) < maxErrors {
		*list = append(*list, n.pointer()+": "+fmt.Sprintf(format, args...))
	}
}

// refHidesSiblings: up to draft-07 everything beside a $ref is ignored.
func (w *walk) refHidesSiblings(s *subschema) bool {
	_, isRef := s.text("$ref")
	return isRef && w.dialect.age < age201909
}

// enter reads the names that a schema gives itself, and finds the schemas inside it.
func (w *walk) enter(s *subschema) {
	if w.refHidesSiblings(s) {
		return
	}
	w.name(s)
	for _, k := range keywords {
		value, present := s.members[k.name]
		if !present || w.dialect.age < k.from || k.to < w.dialect.age {
			continue
		}
		for _, n := range k.subschemasOf(value) {
			if !n.isSchema() {
				continue // an array of names in dependencies; anything else the metaschema has refused
			}
			sub := w.add(n, s.resource)
			if k.same {
				s.same = append(s.same, sub)
			}
		}
	}
}

// name registers the URI and the anchors of a schema.
func (w *walk) name(s *subschema) {
	id, _ := s.text(w.dialect.id)
	id, fragment, _ := strings.Cut(id, "#")
	if id != "" {
		if uri := w.resolve(s.resource, id); uri != nil {
			s.resource = &resource{uri: uri, root: s.node, anchors: map[string]*node{}}
			w.resources[uri.String()] = s.resource
			w.embedded = w.embedded || s.parent != nil
			if schema, ok := s.text("$schema"); ok && s.parent != nil {
				if d, _ := dialectOf(schema); d.name != w.dialect.name {
					tell(&w.foreign, s.node, "a part in another dialect, %q", cut(schema))
				}
			}
		}
	}
	names := []string{fragment}
	if w.dialect.age >= age201909 {
		names = nil
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			name, _ := s.text(key)
			names = append(names, name)
		}
	}
	for _, name := range names {
		if _, taken := s.resource.anchors[name]; name != "" && !taken {
			s.resource.anchors[name] = s.node
		}
	}
}

// refer follows the references of a schema.
func (w *walk) refer(s *subschema) {
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, ok := s.text(key)
		if !ok || key == "$dynamicRef" && w.dialect.age < age202012 || key == "$recursiveRef" && w.dialect.age != age201909 {
			continue
		}
		target := w.target(s, key, ref)
		// Where a dynamic reference leads depends on the way into the schema, unless there is only one resource.
		if target != nil && (key == "$ref" || !w.embedded) {
			s.same = append(s.same, target)
		}
	}
}

// target finds the schema that a reference leads to. It returns nil, having told, when there is none here.
func (w *walk) target(s *subschema, key, ref string) *subschema {
	address, fragment, _ := strings.Cut(ref, "#")
	r := s.resource
	if address != "" {
		uri := w.resolve(r, address)
		if uri == nil {
			tell(&w.external, s.node, "%s %q leads out of the schema", key, cut(ref))
			return nil
		}
		if _, isMeta := dialectOf(uri.String()); isMeta {
			return nil // every implementation has the metaschemas
		}
		if r = w.resources[uri.String()]; r == nil {
			tell(&w.external, s.node, "%s %q leads out of the schema", key, cut(ref))
			return nil
		}
	}
	w.work += len(fragment)
	n := r.find(fragment)
	if n == nil || !n.isSchema() {
		tell(&w.dangling, s.node, "%s %q leads nowhere", key, cut(ref))
		return nil
	}
	return w.add(n, r)
}

// find follows a fragment: a JSON pointer or an anchor, with percent-encoding.
func (r *resource) find(fragment string) *node {
	text, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	switch pointer, isPointer := strings.CutPrefix(text, "/"); {
	case text == "":
		return r.root
	case isPointer:
		return r.root.at(pointer)
	}
	return r.anchors[text]
}

// resolve returns the absolute URI of an address in a resource, or nil when it is no URI.
func (w *walk) resolve(r *resource, address string) *url.URL {
	w.work += len(address) + len(r.uri.Path) + len(r.uri.Opaque)
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return r.uri.ResolveReference(u)
}

// The states of the search for loops.
const (
	unseen = iota
	onPath
	done
)

// loop returns a schema that leads back to itself without going into the value, or nil. It keeps its path in a slice:
// a chain of references may be as long as the schema.
func (w *walk) loop() *subschema {
	type step struct {
		*subschema
		next int
	}
	for _, start := range w.all {
		if start.state != unseen {
			continue
		}
		start.state = onPath
		path := []step{{subschema: start}}
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.next == len(top.same) {
				top.state = done
				path = path[:len(path)-1]
				continue
			}
			to := top.same[top.next]
			top.next++
			switch to.state {
			case onPath:
				on := slices.IndexFunc(path, func(s step) bool { return s.subschema == to })
				return path[on].subschema
			case unseen:
				to.state = onPath
				path = append(path, step{subschema: to})
			}
		}
	}
	return nil
}
