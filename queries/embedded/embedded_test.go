//go:build linux || darwin

package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The environment that turns the test binary into something else: a command that holds the server of a directory until
// its standard input ends, or a run of the tests as another account.
const (
	holdEnv   = "MCPCENSUS_TEST_HOLD"
	nobodyEnv = "MCPCENSUS_TEST_AS_NOBODY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		if err := holdUntilEOF(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func holdUntilEOF(dir string) error {
	server, err := Start(context.Background(), dir, Options{Throwaway: true})
	if err != nil {
		return err
	}
	fmt.Println(server.PID())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return server.Release()
}

// needBinaries skips a test where no Postgres is installed, unless the environment insists.
func needBinaries(t *testing.T) Binaries {
	t.Helper()
	bin, err := Find()
	if err != nil && os.Getenv("MCPCENSUS_REQUIRE_POSTGRES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// newDir returns a new directory that every account can enter. Its server is stopped when the test ends.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcpcensus-embedded-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c, err := openCluster(dir, Options{}); err == nil && c.exists() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := c.stop(ctx); err != nil {
				t.Errorf("stop what the test left running: %v", err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func start(t *testing.T, dir string, opts Options) *Server {
	t.Helper()
	server, err := Start(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Release(); err != nil {
			t.Errorf("release: %v", err)
		}
	})
	return server
}

func release(t *testing.T, server *Server) {
	t.Helper()
	if err := server.Release(); err != nil {
		t.Fatalf("release: %v", err)
	}
}

// ask returns the one text that a query gives.
func ask(t *testing.T, server *Server, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var text string
	if err := conn.QueryRow(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// do executes a statement.
func do(t *testing.T, server *Server, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// gone reports whether no server of the directory runs.
func gone(t *testing.T, dir string, pid int) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, "postgres", "postmaster.pid"))
	return errors.Is(err, os.ErrNotExist) && !mayBeServer(pid, filepath.Join(dir, "postgres"), -1)
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !is() {
		if pause(ctx) != nil {
			t.Fatalf("gave up waiting: %s", what)
		}
	}
}

// holder is another process that holds the server.
type holder struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

func startHolder(t *testing.T, dir string) *holder {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	cmd.Stderr = os.Stderr
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &holder{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
}

// pid waits until the process holds the server and returns the process id of the server.
func (h *holder) pid(t *testing.T) int {
	t.Helper()
	line, err := h.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("the other process did not get a server: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// release lets the process end by itself.
func (h *holder) release(t *testing.T) {
	t.Helper()
	h.stdin.Close()
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("the other process did not release the server: %v", err)
	}
}

// kill ends the process as kill -9 does.
func (h *holder) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait()
}

// TestAsNobody runs the tests of real servers again as an ordinary account, when root runs them.
func TestAsNobody(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	home := newDir(t)
	if err := os.Chown(home, uid, gid); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(home, "embedded.test") // the test binary stands where only root can enter
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^Test(Lifecycle|Holders|Adoption|KilledServer|Refusal)", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + home, "HOME=" + home, nobodyEnv + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestLifecycle") {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
