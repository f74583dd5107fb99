package testdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/migrations"
	"github.com/mcpcensus/mcpcensus/queries/embedded"
)

// The environment of the tests.
const (
	URLEnv     = "MCPCENSUS_TEST_DATABASE_URL"
	RequireEnv = "MCPCENSUS_REQUIRE_POSTGRES"
)

// Template is how a kind of database is prepared. It is prepared once for each Key, then copied.
type Template struct {
	Key   string // changes whenever the result of Build would
	Build func(ctx context.Context, conn *pgx.Conn) error
}

// Census is the template with the schema of the census.
func Census() (Template, error) {
	all, err := migrations.All()
	if err != nil {
		return Template{}, err
	}
	key := sha256.New()
	for _, m := range all {
		fmt.Fprintf(key, "%s %x\n", m.Name, m.Checksum)
	}
	return Template{
		Key: "census " + hex.EncodeToString(key.Sum(nil)),
		Build: func(ctx context.Context, conn *pgx.Conn) error {
			_, err := migrations.Up(ctx, conn)
			return err
		},
	}, nil
}

// Schema returns a pool on a new database with the schema of the census. Both are gone when the test ends.
func Schema(t testing.TB) *pgxpool.Pool {
	t.Helper()
	template, err := Census()
	if err != nil {
		t.Fatal(err)
	}
	return Open(t, New(t, template))
}

// Empty returns the address of a new database without any table. It is gone when the test ends.
func Empty(t testing.TB) string {
	t.Helper()
	return New(t, Template{Key: "empty", Build: func(context.Context, *pgx.Conn) error { return nil }})
}

// Open returns a pool on a database, which is closed when the test ends.
func Open(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = "mcpcensus test"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// New returns the address of a new database that is copied from a template. It is dropped when the test ends.
func New(t testing.TB, template Template) string {
	t.Helper()
	server, release, err := serve(context.Background())
	if errors.Is(err, embedded.ErrNoBinaries) && os.Getenv(RequireEnv) == "" {
		t.Skipf("needs Postgres (%s makes this an error): %v", RequireEnv, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	admin, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	name, err := create(t.Context(), admin, template, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := drop(ctx, admin, name); err != nil {
			t.Error(err)
		}
	})
	return within(server, name)
}

// Main runs the tests of a package and keeps the shared server running in between. It returns the exit status.
func Main(m *testing.M) int {
	_, release, err := serve(context.Background())
	if err != nil {
		return m.Run() // each test says what is wrong
	}
	status := m.Run()
	if err := release(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(status, 1)
	}
	return status
}

// serve returns the address of the test server and how to let go of it.
func serve(ctx context.Context) (address string, release func() error, err error) {
	if address := os.Getenv(URLEnv); address != "" {
		return address, func() error { return nil }, nil
	}
	found, err := embedded.Find()
	if err != nil {
		return "", nil, err
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("mcpcensus-test-%d-pg%d", os.Getuid(), found.Major))
	if err := makeOwn(dir); err != nil {
		return "", nil, err
	}
	server, err := embedded.Start(ctx, dir, embedded.Options{Throwaway: true})
	if err != nil {
		return "", nil, fmt.Errorf("test server (%s holds test data only and may be removed): %w", dir, err)
	}
	return server.URL(), server.Release, nil
}

// makeOwn makes a directory in a place where everybody may, and refuses one that somebody else made.
func makeOwn(dir string) error {
	mode := fs.FileMode(0o700)
	if os.Getuid() == 0 {
		mode = 0o755 // the server runs under another account
	}
	err := os.Mkdir(dir, mode)
	if err == nil {
		return os.Chmod(dir, mode) // whatever the umask says
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedByMe(info) || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a directory of this user alone: remove it", dir)
	}
	return nil
}

// within is the address of another database on the same server.
func within(server, database string) string {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" { // keywords and values
		return server + " dbname=" + database
	}
	u.Path = "/" + database
	return u.String()
}
