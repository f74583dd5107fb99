package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcensus/mcpcensus/classifier/redact"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Response is one answer of the registry.
type Response struct {
	Request string      // URL that was requested
	Status  int         // HTTP status
	Header  wire.Header // sorted by name
	Body    []byte      // without the content coding of the transfer
	Fetched time.Time   // when the body had been read
}

// Cache returns what the cache in front of the registry says of the answer, such as "HIT" or "STALE"; empty when
// there is none.
func (r Response) Cache() string {
	v, _ := r.Header.Get("X-Registry-Cache")
	return strings.ToUpper(v)
}

// date is the time of the answer by the registry's own clock, and by ours when it does not say.
func (r Response) date() time.Time {
	v, _ := r.Header.Get("Date")
	if t, err := http.ParseTime(v); err == nil {
		return t.UTC()
	}
	return r.Fetched.UTC()
}

// Fault is why a request did not give what was asked for.
type Fault struct { //nolint:errname // a finding about the registry that is kept, before it is an error
	Outcome    string        // HTTP status, or one of: timeout, network, truncated, too_large, not_page
	Status     int           // 0 when there was no answer
	RetryAfter time.Duration // the wait that the registry asked for; 0 when it did not
	Err        error

	final bool // the registry answers everything but this
}

// The outcomes that are no HTTP status.
const (
	OutcomeTimeout   = "timeout"
	OutcomeNetwork   = "network"
	OutcomeTruncated = "truncated"
	OutcomeTooLarge  = "too_large"
	OutcomeNotPage   = "not_page"
)

// Error says what happened.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// rateClass tells lists, which the registry serves at 600 a minute, from everything else, at 180.
type rateClass int

const (
	list rateClass = iota
	single
)

func (c *Client) gap(class rateClass) time.Duration {
	gap := float64(time.Second) / c.o.Rate
	if class == single {
		gap = gap * 10 / 3
	}
	return time.Duration(gap)
}

// page requests a list and reads it. As long as no list was answered, a 404 of /v0.1 makes it try /v0.
func (c *Client) page(ctx context.Context, class rateClass, path string) (Response, PageContent, *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	candidates := []string{c.api}
	if c.api == "" {
		candidates = []string{"/v0.1", "/v0"}
	}
	var first Response
	var firstFault *Fault
	for i, api := range candidates {
		r, fault := c.request(ctx, class, c.o.Base+api+path)
		if fault == nil {
			content, err := ReadPage(r.Body)
			if err == nil {
				c.api = api
				return r, content, nil
			}
			fault = &Fault{Outcome: OutcomeNotPage, Status: r.Status, Err: err}
		}
		if i == 0 {
			first, firstFault = r, fault
		}
		if fault.Status != http.StatusNotFound {
			break
		}
	}
	return first, PageContent{}, firstFault
}

// request sends one request when the rate allows it, and reads the answer to its end.
func (c *Client) request(ctx context.Context, class rateClass, url string) (Response, *Fault) {
	now := c.o.Clock.Now()
	if wait := c.next.Sub(now); wait > 0 {
		if err := c.o.Clock.Sleep(ctx, wait); err != nil {
			return Response{}, &Fault{Outcome: OutcomeTimeout, Err: err}
		}
		now = c.o.Clock.Now()
	}
	c.next = now.Add(c.gap(class))

	limited, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, url, nil)
	if err != nil {
		return Response{}, &Fault{Outcome: OutcomeNetwork, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.o.UserAgent)
	resp, err := c.http.Do(req)
	if err != nil {
		return Response{}, transferFault(limited, 0, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxBody+1))
	r := Response{Request: url, Status: resp.StatusCode, Header: header(resp.Header), Body: body, Fetched: c.o.Clock.Now()}
	switch {
	case r.Status != http.StatusOK:
		return r, c.statusFault(r)
	case err != nil:
		return r, transferFault(limited, r.Status, err)
	case int64(len(body)) > c.o.MaxBody:
		return r, &Fault{Outcome: OutcomeTooLarge, Status: r.Status, Err: fmt.Errorf("the answer is larger than %d bytes", c.o.MaxBody)}
	}
	return r, nil
}

func transferFault(ctx context.Context, status int, err error) *Fault {
	outcome := OutcomeNetwork
	switch {
	case ctx.Err() != nil:
		outcome = OutcomeTimeout
	case status != 0:
		outcome = OutcomeTruncated
	}
	return &Fault{Outcome: outcome, Status: status, Err: err}
}

func (c *Client) statusFault(r Response) *Fault {
	asked, _ := r.Header.Get("Retry-After")
	pause, _ := wire.RetryAfter(asked, c.o.Clock.Now())
	f := &Fault{Outcome: strconv.Itoa(r.Status), Status: r.Status, RetryAfter: pause}
	if to, ok := r.Header.Get("Location"); ok && r.Status/100 == 3 {
		f.Err = fmt.Errorf("the registry answers %d and points to %s: use that as its base URL", r.Status, redact.URL(to))
	} else {
		f.Err = fmt.Errorf("the registry answers %d %s", r.Status, http.StatusText(r.Status))
	}
	return f
}

func header(h http.Header) wire.Header {
	var fields wire.Header
	for name, values := range h {
		for _, v := range values {
			fields = append(fields, wire.Field{Name: name, Value: v})
		}
	}
	slices.SortStableFunc(fields, func(a, b wire.Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// interrupted tells the end of the caller's context from a timeout of one request.
func interrupted(ctx context.Context, fault *Fault) error {
	if err := ctx.Err(); err != nil && fault != nil {
		return errors.Join(err, fault)
	}
	return nil
}
