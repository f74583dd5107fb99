package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/crawler/target"
	"github.com/mcpcensus/mcpcensus/queries"
)

// ErrDriven means that another process works on the run, towards another goal.
var ErrDriven = errors.New("another process works on it")

// Aim sets how far a run shall be driven next. A closed run can only be classified again, since findings and rates are
// versioned and everything else is final. The goal of a run that another process drives is not changed under it.
func Aim(ctx context.Context, pool *pgxpool.Pool, run string, goal Goal) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		q := queries.New(tx)
		r, err := q.GetRun(ctx, run)
		if err != nil {
			return err
		}
		closed := Stage(r.Stage) == Closed
		switch {
		case closed && goal != GoalAll:
			return errors.New("it is closed and its visits are final; start another one with `mcpcensus run --new`")
		case !closed && Goal(r.Goal) == goal:
			return nil
		}
		if free, err := q.TryTransactionLock(ctx, driveLock(run)); err != nil {
			return err
		} else if !free {
			return ErrDriven
		}
		if closed {
			return q.ReopenRun(ctx, run)
		}
		return q.SetRunGoal(ctx, queries.SetRunGoalParams{RunID: run, Goal: string(goal)})
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", run, err)
	}
	return nil
}

// CanClassify reports, as an error, that a run has not been visited to its end, so that classifying it would begin with
// visits.
func CanClassify(ctx context.Context, pool *pgxpool.Pool, run string) error {
	r, err := queries.New(pool).GetRun(ctx, run)
	if err != nil {
		return fmt.Errorf("read run %s: %w", run, err)
	}
	switch Stage(r.Stage) {
	case Classify, Estimate, Closed:
		return nil
	default:
		return fmt.Errorf("run %s is still in stage %s: finish its visits first with `mcpcensus probe %s`", run, r.Stage, run)
	}
}

// CheckRegistryURL returns the base URL in the form in which it is stored and compared: without a trailing slash.
func CheckRegistryURL(raw string) (string, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the base URL of a registry: give one such as https://registry.modelcontextprotocol.io", raw)
	}
	return u.String(), nil
}

// CheckContact reports what is wrong with an address that is to stand in the User-Agent.
func CheckContact(contact string) error {
	u, err := url.Parse(contact)
	printable := !strings.ContainsFunc(contact, func(r rune) bool { return r <= ' ' || r > '~' || r == '(' || r == ')' })
	if err != nil || !printable || (u.Scheme != "mailto" && u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("%q is not an address: give one such as https://example.org/census or mailto:census@example.org", contact)
	}
	return nil
}

// ReadAllowedCalls reads a file of tool calls, one JSON object a line; blank lines and lines that begin with # are skipped.
func ReadAllowedCalls(path string) (calls []AllowedCall, err error) {
	err = eachLine(path, func(line string) error {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var c AllowedCall
		if err := decoder.Decode(&c); err != nil {
			return fmt.Errorf(`want {"endpoint":"https://…","tool":"…","arguments":{…}}: %w`, err)
		}
		e := target.Canonical(c.Endpoint, "")
		switch {
		case e.Class != target.Plain:
			return fmt.Errorf("endpoint %q is not a URL that can be visited", c.Endpoint)
		case c.Tool == "":
			return errors.New("tool is missing")
		case c.Arguments == nil:
			c.Arguments = json.RawMessage("{}")
		}
		c.Endpoint = e.Key
		calls = append(calls, c)
		return nil
	})
	return calls, err
}

// ReadOptOutFile reads a file of opt-outs, and checks every pattern.
func ReadOptOutFile(path string) (patterns []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if _, err := polite.ReadOptOut(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	err = eachLine(path, func(line string) error {
		patterns = append(patterns, line)
		return nil
	})
	return patterns, err
}

func eachLine(path string, do func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
