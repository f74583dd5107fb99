//go:build unix

package peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// missing skips the test, or fails it when peers are required.
func missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("MCPCENSUS_REQUIRE_PEERS") != "" {
		tb.Fatalf(format, args...)
	}
	tb.Skipf(format+" (set MCPCENSUS_REQUIRE_PEERS to make this a failure)", args...)
}

// cacheDir is where installed peers are kept.
func cacheDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MCPCENSUS_PEER_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			missing(tb, "no directory to install peers into, set MCPCENSUS_PEER_CACHE: %v", err)
		}
		dir = filepath.Join(user, "mcpcensus", "peers")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		missing(tb, "create the directory for peers: %v", err)
	}
	return dir
}

// installed returns the directory called name in the cache, after filling it if it is not there. Tests of several
// processes wait for each other; a directory that was left half filled is not used.
func installed(tb testing.TB, name string, fill func(dir string) error) string {
	tb.Helper()
	cache := cacheDir(tb)
	dir := filepath.Join(cache, name)
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		missing(tb, "lock the directory for peers: %v", err)
	}
	defer func() { _ = lock.Close() }() // also unlocks
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		missing(tb, "lock the directory for peers: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	partial, err := os.MkdirTemp(cache, name+".partial-")
	if err != nil {
		missing(tb, "create a directory for peers: %v", err)
	}
	if err := fill(partial); err != nil {
		_ = os.RemoveAll(partial) // the other error counts
		missing(tb, "install %s: %v", name, err)
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		missing(tb, "install %s: %v", name, err)
	}
	if err := os.Rename(partial, dir); err != nil {
		missing(tb, "install %s: %v", name, err)
	}
	return dir
}

// sourceDir finds a directory of this package's sources, from any package of the project.
func sourceDir(tb testing.TB, name string) string {
	tb.Helper()
	return findAbove(tb, filepath.Join("prober", "probertest", "peer", name))
}

// findAbove looks for path in the working directory and the directories above it.
func findAbove(tb testing.TB, path string) string {
	tb.Helper()
	at, err := os.Getwd()
	if err != nil {
		tb.Fatalf("find %s: %v", path, err)
	}
	for {
		candidate := filepath.Join(at, path)
		if _, err := os.Stat(candidate); err == nil {
			return candidate
		}
		if at == filepath.Dir(at) {
			missing(tb, "%s is not in any directory above the test", path)
		}
		at = filepath.Dir(at)
	}
}

// digest names the content of files.
func digest(tb testing.TB, files ...string) string {
	tb.Helper()
	sum := sha256.New()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatalf("read a source of the peers: %v", err)
		}
		fmt.Fprintf(sum, "%s %d\n", filepath.Base(file), len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// sources returns the files of dir with one of the endings.
func sources(tb testing.TB, dir string, endings ...string) []string {
	tb.Helper()
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		tb.Fatalf("read the sources of the peers: %v", err)
	}
	var files []string
	for _, e := range entries {
		for _, ending := range endings {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ending) {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	return files
}

// nodeDir is a directory with the Node servers and all their packages.
func nodeDir(tb testing.TB) string {
	tb.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(tb, "%s is not installed: real servers on Node need Node 20 or newer", program)
		}
	}
	version, err := exec.CommandContext(tb.Context(), "node", "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if n, convErr := strconv.Atoi(major); err != nil || convErr != nil || n < 20 {
		missing(tb, "Node %s is too old: real servers on Node need Node 20 or newer", strings.TrimSpace(string(version)))
	}
	source := sourceDir(tb, "node")
	files := sources(tb, source, ".mjs", ".json")
	return installed(tb, "node-"+digest(tb, files...), func(dir string) error {
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o644); err != nil {
				return err
			}
		}
		return run(tb.Context(), dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

// goPeer is the built program of the Go families.
func goPeer(tb testing.TB) string {
	tb.Helper()
	source := sourceDir(tb, "gopeer")
	dir := installed(tb, "go-"+digest(tb, sources(tb, source, ".go", "go.mod", "go.sum")...), func(dir string) error {
		return run(tb.Context(), source, "go", "build", "-mod=readonly", "-o", filepath.Join(dir, "gopeer"), ".")
	})
	return filepath.Join(dir, "gopeer")
}

func run(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, tail(output))
	}
	return nil
}

// tail is the end of a program's output.
func tail(output []byte) []byte {
	if len(output) > 2000 {
		return output[len(output)-2000:]
	}
	return output
}
