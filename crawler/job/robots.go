package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// robotsOfHost is what robots.txt says, for each origin of a host.
type robotsOfHost map[string]polite.Robots

// Limits of reading one robots.txt.
const (
	robotsTimeout = 15 * time.Second
	robotsBytes   = 500 << 10 // RFC 9309 §2.5 asks for at least this much
	robotsHops    = 5         // RFC 9309 §2.3.1.2 asks for at least so many redirects
)

// disallow reports whether the host keeps the census out of a URL. A robots.txt that cannot be read keeps nobody out: only
// a group that names the census counts.
func (r robotsOfHost) disallow(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false // the prober says what is wrong with it, in the visit
	}
	return r[originOf(u)].Disallows(u.RequestURI()) // with the query: a rule may speak of it
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// learnRobots reads the robots.txt of a target's origin, unless this job has read it before.
func (w *probeWorker) learnRobots(ctx context.Context, v *visit, t queries.OpenTargetsRow) error {
	u, err := url.Parse(t.Url)
	if err != nil {
		return nil //nolint:nilerr // the prober says what is wrong with the URL, in the visit
	}
	if _, known := v.robots[originOf(u)]; known {
		return nil
	}
	robots, err := w.readRobots(ctx, v, u)
	if err != nil {
		return err
	}
	v.robots[originOf(u)] = robots
	return nil
}

// readRobots returns robots.txt as this run has stored it, and asks for it if it has not.
func (w *probeWorker) readRobots(ctx context.Context, v *visit, u *url.URL) (polite.Robots, error) {
	q := queries.New(w.Pool)
	key := queries.GetRobotsParams{RunID: v.run, Host: v.host, Scheme: u.Scheme, Port: u.Port()}
	stored, err := q.GetRobots(ctx, key)
	if err == nil {
		return polite.ParseRobots(robotsText(int(stored.Status), stored.Bytes)), nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return polite.Robots{}, fmt.Errorf("read the robots.txt of %s: %w", v.host, err)
	}
	entry, err := w.reserve(ctx, v, 0, 1, 1+robotsHops)
	if err != nil {
		return polite.Robots{}, err
	}
	answer, err := w.fetchRobots(ctx, v, u)
	if err != nil {
		w.settleAlone(entry, answer.sent)
		return polite.Robots{}, err
	}
	bodies := bodySet{}
	params := queries.InsertRobotsParams{
		RunID: v.run, Host: v.host, Scheme: u.Scheme, Port: u.Port(), Status: int32(answer.status), Failure: string(answer.failure),
		BodySha256: bodies.add(answer.body), FetchedAt: w.Clock.Now(),
	}
	err = w.inTx(ctx, func(tx pgx.Tx) error {
		if err := queries.InsertBodies(ctx, tx, bodies.rows()); err != nil {
			return err
		}
		if err := queries.New(tx).InsertRobots(ctx, params); err != nil {
			return fmt.Errorf("store the robots.txt of %s: %w", v.host, err)
		}
		return settle(ctx, tx, entry, answer.sent, w.Clock.Now())
	})
	if err != nil {
		w.settleAlone(entry, answer.sent)
	}
	return polite.ParseRobots(robotsText(answer.status, answer.body)), err
}

// robotsText is the text that counts: that of a successful answer.
func robotsText(status int, body []byte) []byte {
	if status != http.StatusOK {
		return nil
	}
	return body
}

// robotsAnswer is what came back, in the end.
type robotsAnswer struct {
	status  int // 0 when there was no answer
	body    []byte
	failure wire.Failure
	sent    int // requests
}

// fetchRobots asks for robots.txt, and follows redirects as a visit would. The error is that of our own context.
func (w *probeWorker) fetchRobots(ctx context.Context, v *visit, u *url.URL) (answer robotsAnswer, err error) {
	transport := dial.NewTransport(w.dialerFor(v.settings, u), dial.Options{RootCAs: w.RootCAs})
	defer transport.Close()
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	for hop := 1; ; hop++ {
		if err := v.pace.Wait(ctx); err != nil {
			return answer, err
		}
		answer.sent++
		header := w.getRobots(ctx, v, transport, at, &answer)
		if err := ctx.Err(); err != nil {
			return answer, err
		}
		location := header.Get("Location")
		if answer.status/100 != 3 || location == "" || hop > robotsHops {
			return answer, nil
		}
		// Followed further than a request of a visit (RFC 9309), but no further away: each hop counts as the first.
		next, err := dial.Follow(http.MethodGet, at, answer.status, location, 1)
		if err != nil {
			answer.failure = wire.PolicyRedirect
			return answer, nil // a redirect that is not followed is an answer
		}
		at = next
	}
}

// getRobots sends one request, and fills in what came back.
func (w *probeWorker) getRobots(ctx context.Context, v *visit, transport *dial.Transport, at *url.URL, answer *robotsAnswer) http.Header {
	ctx, cancel := context.WithTimeout(ctx, robotsTimeout)
	defer cancel()
	answer.status, answer.body, answer.failure = 0, nil, ""
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		answer.failure = wire.HTTPMalformed
		return http.Header{}
	}
	request.Header.Set("User-Agent", userAgent(w.Program, v.settings.Contact))
	response, err := transport.RoundTrip(request)
	if err != nil {
		answer.failure, _ = dial.Classify(err)
		v.pace.Observe(0, 0)
		return http.Header{}
	}
	defer func() { _ = response.Body.Close() }() // read as far as wanted; what is left does not matter
	answer.status = response.StatusCode
	asked, _ := wire.RetryAfter(response.Header.Get("Retry-After"), w.Clock.Now())
	v.pace.Observe(answer.status, pauseOf(asked))
	if wire.IsEventStream(response.Header.Get("Content-Type"), nil) {
		return response.Header // an MCP server that answers every path with a stream, which would never end
	}
	if answer.body, err = io.ReadAll(io.LimitReader(response.Body, robotsBytes)); err != nil {
		answer.failure, _ = dial.Classify(err)
	}
	return response.Header
}
