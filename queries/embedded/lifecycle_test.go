//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	if os.Getenv(nobodyEnv) != "" && os.Geteuid() == 0 {
		t.Fatal("still root")
	}
	dir := filepath.Join(newDir(t), "new", "data") // made with its parents
	var notices []string
	opts := Options{Notices: func(s string) { notices = append(notices, s) }}
	server := start(t, dir, opts)
	if server.Adopted() {
		t.Error("a new server is said to be adopted")
	}
	if !strings.Contains(strings.Join(notices, "\n"), "making the census database") {
		t.Errorf("notices %q do not speak of the first use", notices)
	}
	for setting, want := range map[string]string{
		"listen_addresses": "", "fsync": "on", "synchronous_commit": "on", "default_toast_compression": "lz4",
		"wal_compression": "lz4", "max_connections": "200", "shared_buffers": "256MB", "server_encoding": "UTF8",
		"lc_collate": "C", "data_checksums": "on", "TimeZone": "UTC", "unix_socket_permissions": "0700",
	} {
		query := "select current_setting('" + setting + "')"
		if setting == "lc_collate" {
			query = "select datcollate from pg_database where datname = current_database()"
		}
		if got := ask(t, server, query); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	if got := ask(t, server, "select current_database() || ' ' || current_user"); got != "mcpcensus mcpcensus" {
		t.Errorf("connected as %q", got)
	}
	if got := ask(t, server, "select string_agg(distinct type || ' ' || auth_method, ', ' order by type || ' ' || auth_method) from pg_hba_file_rules"); got != "host reject, local trust" {
		t.Errorf("who may enter: %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, partialPrefix+"*")); left != nil {
		t.Errorf("left over: %v", left)
	}
	psql, err := server.Psql()
	if err != nil || !strings.HasSuffix(psql[0], "psql") || psql[1] != server.URL() {
		t.Errorf("psql = %q, %v", psql, err)
	}
	do(t, server, "create table kept as select 'still here' as word")

	release(t, server)
	release(t, server) // does nothing more
	if !gone(t, dir, server.PID()) {
		t.Error("the last release left the server running")
	}

	again := start(t, dir, Options{})
	if got := ask(t, again, "select word from kept"); got != "still here" {
		t.Errorf("after a restart: %q", got)
	}
}

func TestHoldersShareOneServer(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	// Processes and goroutines race for a directory that holds nothing yet.
	var others []*holder
	for range 3 {
		others = append(others, startHolder(t, dir))
	}
	var mine [3]*Server
	var errs [3]error
	var group sync.WaitGroup
	for i := range mine {
		group.Go(func() { mine[i], errs[i] = Start(t.Context(), dir, Options{Throwaway: true}) })
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	pid := mine[0].PID()
	for _, server := range mine {
		if server.PID() != pid || server.Adopted() {
			t.Errorf("process %d adopted %v, want %d shared", server.PID(), server.Adopted(), pid)
		}
	}
	for _, other := range others {
		if got := other.pid(t); got != pid {
			t.Errorf("another process uses server %d, want %d", got, pid)
		}
	}
	release(t, mine[1])
	release(t, mine[2])
	others[0].release(t)
	others[1].release(t)
	if got := ask(t, mine[0], "select 'up'"); got != "up" {
		t.Error("stopped while it is held")
	}
	release(t, mine[0])
	if gone(t, dir, pid) {
		t.Error("stopped while another process holds it")
	}
	others[2].release(t)
	if !gone(t, dir, pid) {
		t.Error("the last process left the server running")
	}
}

// Commands that come and go at the same time never meet a server on its way down.
func TestHoldersComeAndGo(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 4 {
				server, err := Start(t.Context(), dir, Options{Throwaway: true})
				if err != nil {
					t.Error(err)
					return
				}
				if got := ask(t, server, "select 'up'"); got != "up" {
					t.Error("no answer")
				}
				if err := server.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if !gone(t, dir, -1) {
		t.Error("the last one left the server running")
	}
}

func TestAdoption(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	other := startHolder(t, dir)
	pid := other.pid(t)
	other.kill(t)
	if gone(t, dir, pid) {
		t.Fatal("the server died with its holder")
	}
	server := start(t, dir, Options{})
	if server.PID() != pid || !server.Adopted() {
		t.Errorf("server %d adopted %v, want %d adopted", server.PID(), server.Adopted(), pid)
	}
	if got := ask(t, server, "select 'up'"); got != "up" {
		t.Errorf("got %q", got)
	}
	release(t, server)
	if !gone(t, dir, pid) {
		t.Error("the adopted server runs on")
	}
}

func TestKilledServerStartsAgain(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	other := startHolder(t, dir) // the parent of the server, which does nothing when it dies
	pid := other.pid(t)
	server := start(t, dir, Options{})
	do(t, server, "create table kept as select 'still here' as word")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	again := start(t, dir, Options{})
	if again.PID() == pid {
		t.Error("the dead server is taken for a running one")
	}
	if got := ask(t, again, "select word from kept"); got != "still here" {
		t.Errorf("after a crash: %q", got)
	}
	other.release(t)
}

// A postmaster.pid that a crash left, whose process id now belongs to somebody else, or with nothing in it.
func TestLifecycleStalePIDFile(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	release(t, start(t, dir, Options{Throwaway: true}))
	name := filepath.Join(dir, "postgres", "postmaster.pid")
	for _, text := range []string{
		strconv.Itoa(os.Getpid()) + "\n" + filepath.Join(dir, "postgres") + "\n1700000000\n5432\n/nowhere\n\n 1 2\nready   \n",
		strconv.Itoa(os.Getpid()) + "\n",
		"999999999\n" + filepath.Join(dir, "postgres") + "\n1700000000\n5432\n/nowhere\n\n 1 2\nready   \n",
		"",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if owner, err := ownerOf(filepath.Dir(name)); err == nil && os.Geteuid() == 0 {
			if err := os.Chown(name, owner, -1); err != nil {
				t.Fatal(err)
			}
		}
		server, err := Start(t.Context(), dir, Options{Throwaway: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		release(t, server)
	}
}

func TestLifecycleCancelled(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	release(t, start(t, dir, Options{Throwaway: true}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server, err := Start(ctx, dir, Options{Throwaway: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Start = %v, %v", server, err)
	}
	if !gone(t, dir, -1) {
		t.Error("a cancelled start left a server running")
	}
}

func TestLifecycleFailureShowsLog(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	release(t, start(t, dir, Options{Throwaway: true}))
	if err := appendTo(filepath.Join(dir, "postgres", "postgresql.conf"), "no_such_setting = 1\n"); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), dir, Options{Throwaway: true})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Errorf("err = %v", err)
	}
	if server, err := Start(t.Context(), dir, Options{Throwaway: true}); err == nil {
		t.Errorf("started: %v", server.URL())
	}
}

// The socket lies in the directory itself, whatever characters its path has: macOS keeps data under "Application Support".
func TestLifecycleOddPath(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := filepath.Join(newDir(t), "a b+c é")
	server := start(t, dir, Options{Throwaway: true})
	if !strings.HasPrefix(server.socketDir, dir) {
		t.Fatalf("socket in %s", server.socketDir)
	}
	if got := ask(t, server, "select current_setting('data_directory')"); !strings.HasPrefix(got, dir) {
		t.Errorf("data in %s", got)
	}
	release(t, server)
}

func TestLifecycleLongPath(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := filepath.Join(newDir(t), strings.Repeat("long", 25), "with space, comma and ü")
	server := start(t, dir, Options{Throwaway: true})
	if strings.HasPrefix(server.socketDir, dir) {
		t.Errorf("socket in %s", server.socketDir)
	}
	if info, err := os.Stat(server.socketDir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket directory: %v %v", info.Mode(), err)
	}
	if got := ask(t, server, "select current_setting('data_directory')"); !strings.HasPrefix(got, dir) {
		t.Errorf("data in %s", got)
	}
	release(t, server)
	if _, err := os.Stat(server.socketDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket directory stays: %v", err)
	}
}
