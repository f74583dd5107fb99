package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// The fixed names inside the server.
const (
	superuser   = "mcpcensus"
	database    = "mcpcensus"
	maintenance = "postgres" // the database that initdb makes, for what needs a connection before ours exists
	clusterDir  = "postgres" // in the data directory of the census
	port        = 5432       // only part of the name of the socket: the server listens on no network
)

// Options are the choices of a caller of [Start].
type Options struct {
	// Throwaway gives up durability for speed, for tests: a crash of the machine may lose the data, one of a process does
	// not.
	Throwaway bool
	// Notices, when set, is told in one sentence each what takes time or is worth knowing.
	Notices func(string)

	accounts []string // the accounts to try when the caller is root; nil means the usual ones
}

// Server is a running server that this process holds. It runs until its last holder has released it.
type Server struct {
	socketDir string
	port      int
	pid       int
	major     int
	adopted   bool
	leave     func() error
	once      sync.Once
	left      error
}

// URL returns the address of the census database, for pgx and for every libpq program.
func (s *Server) URL() string { return address(s.socketDir, s.port, database) }

// PID returns the process id of the server.
func (s *Server) PID() int { return s.pid }

// Adopted reports whether the server was found running although no other command held it: one that was killed had left
// it behind.
func (s *Server) Adopted() bool { return s.adopted }

// Psql returns the command line of a shell on the census database.
func (s *Server) Psql() ([]string, error) {
	if found, err := FindMajor(s.major); err == nil {
		if program, err := exec.LookPath(found.Path("psql")); err == nil {
			return []string{program, s.URL()}, nil
		}
	}
	program, err := exec.LookPath("psql")
	if err != nil {
		return nil, fmt.Errorf("no program psql: install the PostgreSQL client (Debian, Ubuntu: apt install postgresql-client): %w", err)
	}
	return []string{program, s.URL()}, nil
}

// Release lets go of the server, and stops it if nobody else holds it. Calling it again does nothing more.
func (s *Server) Release() error {
	s.once.Do(func() { s.left = s.leave() })
	return s.left
}

// address is the URL of a database behind a unix socket.
func address(socketDir string, port int, database string) string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.User(superuser),
		Path:   "/" + database,
		// A blank must be %20: libpq and pgx take + for itself.
		RawQuery: "host=" + strings.ReplaceAll(url.QueryEscape(socketDir), "+", "%20") + "&port=" + strconv.Itoa(port),
	}
	return u.String()
}

// Exists reports whether there is something in the place where the cluster of a data directory is kept. What it is shows
// when it is started.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, clusterDir))
	return !errors.Is(err, fs.ErrNotExist)
}
