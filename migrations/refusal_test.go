package migrations

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// folder makes a folder with files of the given names and texts, in pairs.
func folder(pairs ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return files
}

func TestLoad(t *testing.T) {
	t.Parallel()
	all, err := load(folder("0002_b.sql", "two\r\n", "0001_a.sql", "one", "schema.sql", "other", "migrate.go", ""))
	if err != nil || len(all) != 2 || all[0].Name != "0001_a.sql" || all[1].SQL != "two\n" || all[1].Checksum != sha256.Sum256([]byte("two\n")) {
		t.Errorf("load = %+v, %v", all, err)
	}
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"none", folder("schema.sql", ""), "no migrations"},
		{"gap", folder("0001_a.sql", "", "0003_c.sql", ""), "0003_c.sql: its number should be 0002"},
		{"begins late", folder("0002_b.sql", ""), "should be 0001"},
		{"begins early", folder("0000_b.sql", ""), "should be 0001"},
		{"duplicate", folder("0001_a.sql", "", "0001_b.sql", ""), "0001_b.sql: its number should be 0002"},
		{"short number", folder("001_a.sql", ""), "NNNN_name.sql"},
		{"upper case", folder("0001_A.sql", ""), "NNNN_name.sql"},
	} {
		if _, err := load(tt.files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("0001_a.sql", "0002_b.sql")
	f.Add("0001_a.sql", "0001_a b.sql")
	f.Add("1.sql", "schema.sql")
	f.Fuzz(func(t *testing.T, a, b string) {
		all, err := load(folder(a, "x", b, "y"))
		if err != nil {
			return
		}
		for i, m := range all {
			if m.Version != i+1 || !strings.HasPrefix(m.Name, fmt.Sprintf("%04d_", i+1)) {
				t.Errorf("migration %d of %q and %q is %+v", i, a, b, m)
			}
		}
	})
}

func TestVerify(t *testing.T) {
	t.Parallel()
	all, err := load(folder("0001_a.sql", "one", "0002_b.sql", "two"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	sum := func(text string) []byte { s := sha256.Sum256([]byte(text)); return s[:] }
	a, b := record{1, "0001_a.sql", sum("one"), at}, record{2, "0002_b.sql", sum("two"), at}
	for _, tt := range []struct {
		name    string
		records []record
		want    string // "" when fine
	}{
		{"new", nil, ""},
		{"half", []record{a}, ""},
		{"all", []record{a, b}, ""},
		{"changed", []record{a, {2, "0002_b.sql", sum("2"), at}}, "0002_b.sql is not the one that was applied to this database on 2026-12-01"},
		{"renamed", []record{{1, "0001_z.sql", sum("one"), at}}, "0001_a.sql is not the one"},
		{"newer", []record{a, b, {3, "0003_c.sql", sum("3"), at}}, "0003_c.sql, which this mcpcensus does not know"},
		{"gap", []record{b}, "has the migration 0002_b.sql but lacks 0001_a.sql"},
	} {
		err := verify(compare(all, tt.records))
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	text := "-- ä\nselect 1;\nselekt 2;\n"
	found := &pgconn.PgError{Position: int32(len([]rune("-- ä\nselect 1;\n"))) + 1}
	if got := locate(text, found).Error(); !strings.HasPrefix(got, "line 3: ") {
		t.Errorf("locate = %q", got)
	}
	if got := locate(text, context.Canceled); !errors.Is(got, context.Canceled) {
		t.Errorf("locate = %v", got)
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	const body = `CREATE FUNCTION public.f() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
SET work_mem = '64MB';
END
$$;`
	dump := func(version, token string) string {
		return "--\n-- PostgreSQL database dump\n--\n\n\\restrict " + token + "\n\n-- Dumped from database version " + version +
			"\n-- Dumped by pg_dump version " + version + "\n\nSET statement_timeout = 0;\nSET client_encoding = 'UTF8';\n" +
			"SELECT pg_catalog.set_config('search_path', '', false);\nSET row_security = off;\n\n--\n" +
			"-- Name: f(); Type: FUNCTION; Schema: public; Owner: -\n--\n\n" + body +
			"\n\n\nSET default_tablespace = '';\n\n--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict " + token + "\n\n"
	}
	want := "-- Name: f(); Type: FUNCTION; Schema: public; Owner: -\n\n" + body + "\n"
	for _, text := range []string{dump("15.18", "abc"), dump("18.1 (Debian)", "xyz")} {
		if got := normalise(text); got != want {
			t.Errorf("normalise = %q, want %q", got, want)
		}
	}
}
