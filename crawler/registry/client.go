package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// DefaultBase is the official registry.
const DefaultBase = "https://registry.modelcontextprotocol.io"

// Limits of the client where [Options] does not say otherwise.
const (
	DefaultRate    = 5.0              // list requests a second; the registry allows 10
	DefaultTimeout = 60 * time.Second // of one request; lists have taken 25 s
	DefaultMaxBody = 64 << 20         // bytes of one page
	DefaultBudget  = 30 * time.Minute // of waiting for one page
	pageLimit      = 100              // rows a page; the most that the API gives
)

// Options are the choices of whoever runs the census. The zero value reads the official registry politely.
type Options struct {
	Base      string            // base URL without /v0.1; any address will do, private ones too
	Transport http.RoundTripper // nil means a copy of Go's default one; it must undo gzip, as that one does
	UserAgent string            // should name a contact
	Rate      float64           // list requests a second; other requests get 3/10 of it, as the registry allows
	Timeout   time.Duration     // of one request
	MaxBody   int64             // bytes of one page
	Budget    time.Duration     // how long one page may keep failing before a walk stops, resumable
	Clock     polite.Clock      // nil means the real one
	Seed      uint64            // of the jitter
}

// Client reads one registry. It sends one request at a time.
type Client struct {
	o    Options
	http *http.Client

	mu     sync.Mutex // held during a request
	next   time.Time  // the next request may start
	api    string     // "/v0.1" or "/v0"; empty until a list was answered
	jitter *rand.Rand
}

// New returns a client, or an error when the base URL cannot be one.
func New(o Options) (*Client, error) {
	if o.Base == "" {
		o.Base = DefaultBase
	}
	o.Base = strings.TrimRight(o.Base, "/")
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the base URL of a registry: give one such as %s", o.Base, DefaultBase)
	}
	for _, path := range []string{"/v0", "/v0.1", "/v0/servers", "/v0.1/servers"} {
		if base, found := strings.CutSuffix(o.Base, path); found {
			return nil, fmt.Errorf("give the base URL of the registry without %s: %s", path, base)
		}
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	if o.Rate <= 0 {
		o.Rate = DefaultRate
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	if o.Clock == nil {
		o.Clock = polite.RealClock()
	}
	return &Client{
		o: o,
		// A redirect changes the spelling of the URL, so it is an answer of its own and tells the operator which base to use.
		http:   &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		jitter: rand.New(rand.NewPCG(o.Seed, o.Seed)),
	}, nil
}

// Base returns the base URL as it is used.
func (c *Client) Base() string { return c.o.Base }

// API returns the version of the API that answers: "/v0.1", "/v0", or "" before the first list.
func (c *Client) API() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.api
}

// Version asks the registry for the version of its program. It is information only: a registry that does not say is
// read all the same, so the caller may ignore the error.
func (c *Client) Version(ctx context.Context) (string, error) {
	c.mu.Lock()
	r, fault := c.request(ctx, single, c.o.Base+cmp.Or(c.api, "/v0.1")+"/version")
	c.mu.Unlock()
	if fault != nil {
		return "", fmt.Errorf("ask %s for its version: %w", c.o.Base, fault)
	}
	o, _, err := wire.ReadObject(r.Body)
	if err == nil {
		if raw, ok := o.Get("version"); ok {
			if version, ok := wire.ReadString(raw); ok && version != "" {
				return version, nil
			}
		}
		err = errors.New("no member version")
	}
	return "", fmt.Errorf("read the version of %s: %w", c.o.Base, err)
}

// Query chooses what a list holds. The zero value is the list that the registry shows by default: without deleted rows.
type Query struct {
	IncludeDeleted bool
	UpdatedSince   time.Time // rows updated later than this, deleted ones included; an extension of the official registry
	Version        string    // "latest", or one exact version; an extension of the official registry
}

// path spells a list. The order of parameters and their escaping never change.
func (q Query) path(limit int, cursor string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "/servers?limit=%d", limit)
	if q.IncludeDeleted {
		b.WriteString("&include_deleted=true")
	}
	if !q.UpdatedSince.IsZero() {
		b.WriteString("&updated_since=" + url.QueryEscape(q.UpdatedSince.UTC().Format(time.RFC3339Nano)))
	}
	if q.Version != "" {
		b.WriteString("&version=" + url.QueryEscape(q.Version))
	}
	if cursor != "" {
		b.WriteString("&cursor=" + url.QueryEscape(cursor))
	}
	return b.String()
}

// versionsPath spells the list of all versions of a name.
func versionsPath(name string) string {
	return "/servers/" + url.PathEscape(name) + "/versions?include_deleted=true"
}
