package sse

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpcensus/mcpcensus/prober/dial"
)

// endpointURL returns where an endpoint event says that messages go: a URI, absolute or relative to that of the stream,
// of the same origin. Anything else is refused, so that a server cannot direct the census elsewhere.
func endpointURL(stream *url.URL, data string) (*url.URL, error) {
	switch {
	case data == "":
		return nil, fmt.Errorf("the endpoint is empty")
	case strings.ContainsFunc(data, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"<>\^{|}`+"`", c) }):
		return nil, fmt.Errorf("the endpoint %q is no URI (RFC 3986 §2)", dial.Printable(data))
	case encodedScheme(data):
		return nil, fmt.Errorf("the endpoint %q is a whole URL, percent-encoded", dial.Printable(data))
	}
	to, err := stream.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("the endpoint %q is no URI", dial.Printable(data))
	}
	if to.User != nil {
		return nil, fmt.Errorf("the endpoint %q holds a user", dial.Printable(data))
	}
	if !dial.SameOrigin(stream, to) {
		return nil, fmt.Errorf("the endpoint %q has another origin", dial.Printable(data))
	}
	to.Fragment, to.RawFragment = "", ""
	return to, nil
}

// encodedScheme: such as http%3A//host/path, which would be a path of the own origin if it were taken at its word.
func encodedScheme(data string) bool {
	decoded, err := url.PathUnescape(data)
	if err != nil {
		return false
	}
	for _, scheme := range []string{"http:", "https:"} {
		if strings.HasPrefix(strings.ToLower(decoded), scheme) && !strings.HasPrefix(strings.ToLower(data), scheme) {
			return true
		}
	}
	return false
}
