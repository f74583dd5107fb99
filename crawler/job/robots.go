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

// outcomeRobots is the outcome of a visit that the operator of the host does not want.
const outcomeRobots = "policy.robots"

// robotsOfHost is what robots.txt says, for each origin of a host.
type robotsOfHost map[string]polite.Robots

// Limits of reading one robots.txt.
const (
	robotsTimeout = 15 * time.Second
	robotsBytes   = 500 << 10 // RFC 9309 §2.5 asks for at least this much
)

// keptOut reports whether the host keeps the census out of a target, and if so stores that as its visit. A robots.txt
// that cannot be read keeps nobody out: only a group that names the census counts.
func (w *probeWorker) keptOut(ctx context.Context, v *visit, t queries.OpenTargetsRow) (bool, error) {
	u, err := url.Parse(t.Url)
	if err != nil {
		return false, nil //nolint:nilerr // the prober says what is wrong with the URL, in the visit
	}
	origin := u.Scheme + "://" + u.Host
	robots, known := v.robots[origin]
	if !known {
		if robots, err = w.readRobots(ctx, v, u); err != nil {
			return false, err
		}
		if v.robots == nil {
			v.robots = robotsOfHost{}
		}
		v.robots[origin] = robots
	}
	if !robots.Disallows(u.EscapedPath()) {
		return false, nil
	}
	return true, w.storeUnvisited(ctx, v, t, outcomeRobots, wire.EndedDone, "")
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
	entry, err := w.reserve(ctx, v, 0, 1, 1)
	if err != nil {
		return polite.Robots{}, err
	}
	if err := v.pace.Wait(ctx); err != nil {
		return polite.Robots{}, err
	}
	status, body, failure := w.fetchRobots(ctx, v, u)
	if ctx.Err() != nil {
		w.settleAlone(entry, 1)
		return polite.Robots{}, ctx.Err()
	}
	v.pace.Observe(status, 0)
	bodies := bodySet{}
	params := queries.InsertRobotsParams{
		RunID: v.run, Host: v.host, Scheme: u.Scheme, Port: u.Port(), Status: int32(status), Failure: string(failure),
		BodySha256: bodies.add(body), FetchedAt: w.Clock.Now(),
	}
	err = w.inTx(ctx, func(tx pgx.Tx) error {
		if err := queries.InsertBodies(ctx, tx, bodies.rows()); err != nil {
			return err
		}
		if err := queries.New(tx).InsertRobots(ctx, params); err != nil {
			return fmt.Errorf("store the robots.txt of %s: %w", v.host, err)
		}
		return settle(ctx, tx, entry, 1, w.Clock.Now())
	})
	return polite.ParseRobots(robotsText(status, body)), err
}

// robotsText is the text that counts: that of a successful answer.
func robotsText(status int, body []byte) []byte {
	if status != http.StatusOK {
		return nil
	}
	return body
}

func (w *probeWorker) fetchRobots(ctx context.Context, v *visit, u *url.URL) (status int, body []byte, failure wire.Failure) {
	ctx, cancel := context.WithTimeout(ctx, robotsTimeout)
	defer cancel()
	transport := dial.NewTransport(w.dialerFor(v.run, v.settings, u), dial.Options{RootCAs: w.RootCAs})
	defer transport.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/robots.txt", nil)
	if err != nil {
		return 0, nil, wire.HTTPMalformed
	}
	request.Header.Set("User-Agent", userAgent(w.Program, v.settings.Contact))
	response, err := transport.RoundTrip(request)
	if err != nil {
		failure, _ = dial.Classify(err)
		return 0, nil, failure
	}
	defer func() { _ = response.Body.Close() }() // read as far as wanted; what is left does not matter
	body, err = io.ReadAll(io.LimitReader(response.Body, robotsBytes))
	if err != nil {
		failure, _ = dial.Classify(err)
	}
	return response.StatusCode, body, failure
}
