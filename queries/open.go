package queries

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcpcensus/mcpcensus/queries/embedded"
)

// URLEnv names the environment variable with the address of the database.
const URLEnv = "MCPCENSUS_DATABASE_URL"

// defaultConns bounds the connections of one program where [Config] does not.
const defaultConns = 16

// Config says where the database is, and how to use it.
type Config struct {
	// URL is the address of a running server. Where it is empty, the environment decides: MCPCENSUS_DATABASE_URL, then
	// the PG* variables of libpq if PGHOST, PGSERVICE or PGDATABASE is set; else the embedded server is used.
	URL string
	// DataDir is the data directory of the census, for the embedded server.
	DataDir string
	// Throwaway gives up durability of the embedded server for speed.
	Throwaway bool
	// MaxConns bounds the connections of the pool; 0 means 16.
	MaxConns int32
	// Notices, when set, is told in one sentence each what takes time or is worth knowing.
	Notices func(string)
}

// WouldCreate says that Open would make a new, empty database in the data directory.
func (c Config) WouldCreate() bool {
	_, found := source(c.URL, os.LookupEnv)
	return !found && !embedded.Exists(c.DataDir)
}

// Database is an open database.
type Database struct {
	Pool     *pgxpool.Pool
	URL      string // for other programs; without the password where it came from the PG* variables
	Embedded bool   // the server is the private one of package embedded

	server *embedded.Server
	close  func() error
}

// Open connects to the database that the configuration or the environment names, or else to the embedded server, which
// it starts when it does not run. It makes no tables.
func Open(ctx context.Context, config Config) (*Database, error) {
	address, found := source(config.URL, os.LookupEnv)
	db := &Database{URL: address}
	if !found {
		if config.DataDir == "" {
			return nil, errors.New("no database: give --database-url, or --data-dir for the embedded server")
		}
		server, err := embedded.Start(ctx, config.DataDir, embedded.Options{Throwaway: config.Throwaway, Notices: config.Notices})
		if err != nil {
			return nil, err
		}
		db.server, db.Embedded, db.URL = server, true, server.URL()
	}
	db.close = sync.OnceValue(func() error {
		if db.Pool != nil {
			db.Pool.Close()
		}
		if db.server != nil {
			return db.server.Release()
		}
		return nil
	})
	if err := db.connect(ctx, config); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close closes the pool, for which every connection must have been given back, and then releases the embedded server.
func (db *Database) Close() error { return db.close() }

// Psql returns the command line of a shell on the database.
func (db *Database) Psql() ([]string, error) {
	if db.server != nil {
		return db.server.Psql()
	}
	return []string{"psql", db.URL}, nil
}

// source decides where the database is: its address, which is empty when the PG* variables name it, and whether there
// is one at all.
func source(given string, lookup func(string) (string, bool)) (address string, found bool) {
	if given != "" {
		return given, true
	}
	if address, _ := lookup(URLEnv); address != "" {
		return address, true
	}
	for _, name := range []string{"PGHOST", "PGSERVICE", "PGDATABASE"} {
		if value, _ := lookup(name); value != "" {
			return "", true
		}
	}
	return "", false
}

// connect opens the pool and looks at the server behind it.
func (db *Database) connect(ctx context.Context, config Config) error {
	pool, err := pgxpool.ParseConfig(db.URL)
	if err != nil {
		return fmt.Errorf("read the database address: %w", err)
	}
	if db.URL == "" {
		db.URL = addressOf(pool.ConnConfig)
	}
	pool.MaxConns = defaultConns
	if config.MaxConns > 0 {
		pool.MaxConns = config.MaxConns
	}
	params := pool.ConnConfig.RuntimeParams
	if params["application_name"] == "" {
		params["application_name"] = "mcpcensus"
	}
	params["timezone"] = "UTC" // dates in SQL are those of the run ids, wherever the server stands
	if db.Pool, err = pgxpool.NewWithConfig(ctx, pool); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	var version, number string
	const ask = "select current_setting('server_version'), current_setting('server_version_num')"
	if err := db.Pool.QueryRow(ctx, ask).Scan(&version, &number); err != nil {
		return fmt.Errorf("cannot reach the database, check its address and that it runs: %w", err)
	}
	return checkVersion(version, number)
}

// checkVersion refuses a server that the census does not run on. number is like "150018".
func checkVersion(version, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("the database server names its version %q, which is no number", number)
	}
	if !embedded.Supported(n / 10000) {
		return fmt.Errorf("the database server is PostgreSQL %s, but versions %d to %d are supported: name another with --database-url",
			version, embedded.OldestMajor, embedded.NewestMajor)
	}
	return nil
}

// addressOf spells what the PG* variables say as a URL, without the password, which other programs find where this one
// found it.
func addressOf(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database}
	query := url.Values{"port": {strconv.Itoa(int(c.Port))}}
	if strings.HasPrefix(c.Host, "/") {
		query.Set("host", c.Host)
	} else {
		u.Host = c.Host
		if strings.Contains(c.Host, ":") {
			u.Host = "[" + c.Host + "]" // an IPv6 address
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}
