//go:build linux || darwin

package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is what a running server writes about itself into postmaster.pid: process id, data directory, start time,
// port, socket directory, address, shared memory and state, one a line. While it starts, lines are missing.
type pidFile struct {
	pid       int
	port      int
	socketDir string
	state     string // "starting", "ready", "stopping"
	identity  string // the first three lines, which no other start of any server repeats
}

func parsePIDFile(text string) (pidFile, error) {
	lines := strings.Split(text, "\n")
	line := func(i int) string {
		if i < len(lines) {
			return strings.TrimSpace(lines[i])
		}
		return ""
	}
	pid, err := strconv.Atoi(line(0))
	if err != nil || pid <= 0 {
		return pidFile{}, fmt.Errorf("postmaster.pid names no process: %.40q", text)
	}
	p := pidFile{pid: pid, state: line(7), identity: strings.Join([]string{line(0), line(1), line(2)}, "\n")}
	if len(lines) > 4 {
		p.socketDir = lines[4]
		p.port, _ = strconv.Atoi(line(3)) // missing while the server starts
	}
	return p, nil
}

// readPIDFile returns nil where no server runs and none has crashed.
func (c cluster) readPIDFile() (*pidFile, error) {
	text, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a running server: %w", err)
	}
	p, err := parsePIDFile(string(text))
	if err != nil {
		return &pidFile{}, nil //nolint:nilerr // empty while it is made, and after some crashes
	}
	return &p, nil
}

// dropStale removes the postmaster.pid of a server that is gone when Postgres itself would stumble over it: it is empty,
// or the process id was given to another process of the account, or is that of a dead process that nobody has reaped.
// The caller has the start lock, has found that no server of this cluster has that process id, and still reads the same
// file.
func (c cluster) dropStale(stale pidFile) error {
	if stale.pid != 0 && syscall.Kill(stale.pid, 0) != nil {
		return nil //nolint:nilerr // Postgres sees by itself that it is stale
	}
	now, err := c.readPIDFile()
	if err != nil || now == nil || now.identity != stale.identity {
		return err
	}
	c.notice(fmt.Sprintf("removed a stale postmaster.pid in %s (process %d is not its server)", c.data, stale.pid))
	return os.Remove(filepath.Join(c.data, "postmaster.pid"))
}
