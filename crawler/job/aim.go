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

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/crawler/target"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Aim sets how far a run shall be driven next. A closed run can only be classified again, since findings and rates are
// versioned and everything else is final.
func Aim(ctx context.Context, pool *pgxpool.Pool, run string, goal Goal) error {
	q := queries.New(pool)
	r, err := q.GetRun(ctx, run)
	if err != nil {
		return fmt.Errorf("read run %s: %w", run, err)
	}
	switch {
	case Stage(r.Stage) != Closed:
		err = q.SetRunGoal(ctx, queries.SetRunGoalParams{RunID: run, Goal: string(goal)})
	case goal == GoalAll:
		err = q.ReopenRun(ctx, run)
	default:
		return fmt.Errorf("run %s is closed: its visits are final; start another one with `mcpcensus run --new`", run)
	}
	if err != nil {
		return fmt.Errorf("set the goal of run %s: %w", run, err)
	}
	return nil
}

// CheckRegistryURL returns the base URL in the form in which it is stored and compared: without a trailing slash.
func CheckRegistryURL(raw string) (string, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the base URL of a registry: give one such as https://registry.modelcontextprotocol.io", raw)
	}
	return u.String(), nil
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
