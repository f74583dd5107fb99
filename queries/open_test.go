package queries

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/queries/embedded"
)

func TestSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, given, want string
		env               map[string]string
		found             bool
	}{
		{"nothing", "", "", nil, false},
		{"flag first", "postgres://flag/", "postgres://flag/", map[string]string{URLEnv: "postgres://env/", "PGHOST": "h"}, true},
		{"environment", "", "postgres://env/", map[string]string{URLEnv: "postgres://env/", "PGHOST": "h"}, true},
		{"host", "", "", map[string]string{"PGHOST": "h"}, true},
		{"service", "", "", map[string]string{"PGSERVICE": "s"}, true},
		{"database", "", "", map[string]string{"PGDATABASE": "d"}, true},
		{"user alone names no server", "", "", map[string]string{"PGUSER": "u", "PGPASSWORD": "p", "PGPORT": "1"}, false},
		{"empty is not set", "", "", map[string]string{URLEnv: "", "PGHOST": ""}, false},
	} {
		lookup := func(name string) (string, bool) { value, ok := tt.env[name]; return value, ok }
		if got, found := source(tt.given, lookup); got != tt.want || found != tt.found {
			t.Errorf("%s: %q, %v, want %q, %v", tt.name, got, found, tt.want, tt.found)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for number, ok := range map[string]bool{"140012": false, "150000": true, "180099": true, "190000": false, "90624": false, "x": false} {
		if err := checkVersion("the version", number); (err == nil) != ok {
			t.Errorf("%s: %v", number, err)
		}
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://us%20er@/a%2Fb?host=%2Frun%2Fsocket&port=5433",
		"postgres://user@db.example?port=5432",
		"postgres://user@[2001:db8::1]/name?port=1",
	} {
		config, err := pgx.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pgx.ParseConfig(addressOf(config))
		if err != nil {
			t.Fatal(err)
		}
		if again.Host != config.Host || again.Port != config.Port || again.User != config.User || again.Database != config.Database {
			t.Errorf("%s becomes %s", address, addressOf(config))
		}
	}
	config, err := pgx.ParseConfig("postgres://user:secret@h/d")
	if err != nil {
		t.Fatal(err)
	}
	if got := addressOf(config); strings.Contains(got, "secret") {
		t.Errorf("the password is in %s", got)
	}
}

// enterable returns a new directory that every account can enter, since the server may run under another one.
func enterable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) { // not parallel: it sets the environment
	for _, name := range []string{URLEnv, "PGHOST", "PGSERVICE", "PGDATABASE"} {
		t.Setenv(name, "")
	}
	if _, err := Open(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("without any database: %v", err)
	}
	if _, err := Open(t.Context(), Config{URL: "postgres://127.0.0.1:1/x?connect_timeout=1"}); err == nil || !strings.Contains(err.Error(), "cannot reach the database") {
		t.Errorf("nobody listens: %v", err)
	}
	dir := enterable(t)
	db, err := Open(t.Context(), Config{DataDir: dir, Throwaway: true, MaxConns: 3})
	if errors.Is(err, embedded.ErrNoBinaries) && os.Getenv("MCPCENSUS_REQUIRE_POSTGRES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if !db.Embedded || db.Pool.Config().MaxConns != 3 {
		t.Errorf("embedded %v, %d connections", db.Embedded, db.Pool.Config().MaxConns)
	}
	check := func(db *Database) {
		t.Helper()
		var name, zone string
		var tables int
		const ask = `select current_setting('application_name'), current_setting('TimeZone'), (select count(*) from pg_tables where schemaname = 'public')`
		if err := db.Pool.QueryRow(t.Context(), ask).Scan(&name, &zone, &tables); err != nil {
			t.Fatal(err)
		}
		if name != "mcpcensus" || zone != "UTC" || tables != 0 {
			t.Errorf("application %q, zone %q, %d tables", name, zone, tables)
		}
	}
	check(db)
	if psql, err := db.Psql(); err != nil || psql[len(psql)-1] != db.URL {
		t.Errorf("psql %q, %v", psql, err)
	}

	// The same server again, as one that somebody else runs.
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGHOST", u.Query().Get("host"))
	t.Setenv("PGPORT", u.Query().Get("port"))
	t.Setenv("PGUSER", u.User.Username())
	t.Setenv("PGDATABASE", strings.TrimPrefix(u.Path, "/"))
	byEnv, err := Open(t.Context(), Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if byEnv.Embedded || byEnv.URL != db.URL {
		t.Errorf("embedded %v, %s", byEnv.Embedded, byEnv.URL)
	}
	check(byEnv)
	if err := byEnv.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	if _, err := pgx.Connect(t.Context(), db.URL); err == nil {
		t.Error("the embedded server runs on")
	}
}
