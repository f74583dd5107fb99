package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// node is one JSON value with its place.
type node struct {
	value   any // as encoding/json decodes it, with json.Number
	members map[string]*node
	items   []*node
	parent  *node
	token   string // key or index in the parent
	schema  *subschema
}

var errTooLarge = errors.New("too large to be checked")

// newTree decodes JSON text whose depth has been checked: the recursion below goes no deeper than wire.MaxDepth.
func newTree(raw []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	left := MaxNodes
	return grow(value, nil, "", &left)
}

func grow(value any, parent *node, token string, left *int) (*node, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("%w: more than %d values", errTooLarge, MaxNodes)
	}
	n := &node{value: value, parent: parent, token: token}
	switch v := value.(type) {
	case map[string]any:
		n.members = make(map[string]*node, len(v))
		for key, member := range v {
			child, err := grow(member, n, key, left)
			if err != nil {
				return nil, err
			}
			n.members[key] = child
		}
	case []any:
		for i, item := range v {
			child, err := grow(item, n, strconv.Itoa(i), left)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
		}
	case json.Number:
		if !isModest(v.String()) {
			return nil, fmt.Errorf("%w: a number beyond 10^%d", errTooLarge, maxNumber)
		}
	}
	return n, nil
}

// isModest says whether exact arithmetic with the number is cheap. One of nine characters can have a billion digits.
func isModest(number string) bool {
	if len(number) > maxNumber {
		return false
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[i+1:])
	return err == nil && -maxNumber <= exponent && exponent <= maxNumber
}

// pointer is the place as a JSON pointer (RFC 6901), cut.
func (n *node) pointer() string {
	var tokens []string
	for ; n.parent != nil; n = n.parent {
		tokens = append([]string{n.token}, tokens...)
	}
	return pointerOf(tokens)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerOf(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + pointerEscapes.Replace(cut(token)))
	}
	return cut(b.String())
}

// at follows a JSON pointer, without its first "/", from n.
func (n *node) at(pointer string) *node {
	for token := range strings.SplitSeq(pointer, "/") {
		if n = n.child(token); n == nil {
			return nil
		}
	}
	return n
}

var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

func (n *node) child(token string) *node {
	if n.members != nil {
		return n.members[pointerUnescapes.Replace(token)]
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.items) || strconv.Itoa(i) != token {
		return nil
	}
	return n.items[i]
}
