package migrations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// Dump returns the schema of a database as pg_dump writes it, without what differs between versions and runs of
// pg_dump: headers with versions, session settings, the tokens of \restrict. pgdump is the path of the program.
func Dump(ctx context.Context, url, pgdump string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, pgdump, "--schema-only", "--no-owner", "--no-privileges", "--dbname", url)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return nil, fmt.Errorf("dump the schema with %s: %w", pgdump, err)
	}
	return []byte(normalise(string(out))), nil
}

// noise matches the lines of a dump that say nothing of the schema. A SET inside a function body stays, since only the
// settings that pg_dump itself makes are listed.
var noise = regexp.MustCompile(`^(` +
	`--` +
	`|-- Dumped (from database|by pg_dump) version .*` +
	`|-- PostgreSQL database dump( complete)?` +
	`|\\(un)?restrict .*` +
	`|SET (statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout|client_encoding` +
	`|standard_conforming_strings|check_function_bodies|xmloption|client_min_messages|row_security` +
	`|default_tablespace|default_table_access_method|default_toast_compression) = .*;` +
	`|SELECT pg_catalog\.set_config\('search_path', '', false\);` +
	`)$`)

var emptyLines = regexp.MustCompile(`\n{3,}`)

func normalise(dump string) string {
	var kept []string
	for line := range strings.Lines(dump) {
		line = strings.TrimRight(line, "\r\n")
		if !noise.MatchString(line) {
			kept = append(kept, line)
		}
	}
	text := strings.Join(kept, "\n") + "\n"
	text = emptyLines.ReplaceAllString(text, "\n\n")
	return strings.TrimSpace(text) + "\n"
}
