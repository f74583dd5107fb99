//go:build unix

package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// registryVersion is the newest version of the registry program that installs from the Go module proxy.
const registryVersion = "v1.8.8"

// Registry is the official registry program with a Postgres of its own. Both end with the test.
type Registry struct {
	URL string

	tb     testing.TB
	root   string   // everything it writes
	script string   // the program that starts and stops both
	env    []string // settings of the script
	pgPort int
}

// StartRegistry runs the registry with the given server.json documents as its rows; the last one of a name is its latest
// version. They are not validated, so remotes on loopback are possible. Several registries can run side by side.
func StartRegistry(tb testing.TB, seed []json.RawMessage) *Registry {
	tb.Helper()
	script := filepath.Join(sharedDir(tb), "tools", "registry-server")
	for _, program := range []string{"bash", "curl", "python3", "go", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil && (program != "setpriv" || os.Getuid() == 0) {
			missing(tb, "%s is not installed: the official registry needs it", program)
		}
	}
	bin := installed(tb, "registry-"+registryVersion, func(dir string) error {
		cmd := exec.CommandContext(tb.Context(), "go", "install", "github.com/modelcontextprotocol/registry/cmd/registry@"+registryVersion)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, tail(output))
		}
		return nil
	})
	var err error
	for range 3 { // another process may take a free port first
		g := &Registry{tb: tb, script: script, root: newRoot(tb), pgPort: freePort(tb)}
		port := freePort(tb)
		g.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
		seedFile := filepath.Join(g.root, "seed.json")
		if err := os.WriteFile(seedFile, joined(seed), 0o644); err != nil {
			tb.Fatalf("write the seed of the registry: %v", err)
		}
		g.env = append(os.Environ(), "ROOT="+g.root, "BIN="+bin, "PORT="+strconv.Itoa(port), "PGPORT="+strconv.Itoa(g.pgPort),
			"SEED="+seedFile, "SEED_MODE=sql", "DB=registry")
		if err = g.call(tb.Context(), "up"); err == nil {
			tb.Cleanup(g.Down)
			return g
		}
		g.Down()
		if strings.Contains(err.Error(), "no initdb") {
			missing(tb, "the Postgres server programs are not installed: the official registry needs them")
		}
		if !strings.Contains(err.Error(), "in use") {
			break
		}
	}
	tb.Fatalf("start the official registry: %v", err)
	return nil
}

// sharedDir is the folder with the project's test material, beside the repository.
func sharedDir(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("MCPCENSUS_SHARED"); dir != "" {
		return dir
	}
	at, err := os.Getwd()
	if err != nil {
		tb.Fatalf("find the test material: %v", err)
	}
	for ; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "shared", "tools", "registry-server")); err == nil && !info.IsDir() {
			return filepath.Join(at, "shared")
		}
		if at == filepath.Dir(at) {
			tb.Skip("no folder shared with tools/registry-server above the test: set MCPCENSUS_SHARED to run the official registry")
		}
	}
}

// newRoot is a directory that an unprivileged Postgres account can enter, which those of testing are not.
func newRoot(tb testing.TB) string {
	tb.Helper()
	root, err := os.MkdirTemp("", "mcpcensus-registry-")
	if err != nil {
		tb.Fatalf("make a directory for the registry: %v", err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		tb.Fatalf("make a directory for the registry: %v", err)
	}
	return root
}

func joined(documents []json.RawMessage) []byte {
	var b strings.Builder
	b.WriteString("[")
	for i, d := range documents {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(d)
	}
	b.WriteString("]\n")
	return []byte(b.String())
}

func (g *Registry) call(ctx context.Context, command string) error {
	output, err := os.Create(filepath.Join(g.root, command+".log")) // a file: the registry must not hold a pipe of ours
	if err != nil {
		return err
	}
	defer func() { _ = output.Close() }()
	cmd := exec.CommandContext(ctx, g.script, command)
	cmd.Env, cmd.Stdout, cmd.Stderr = g.env, output, output
	if err := cmd.Run(); err != nil {
		said, readErr := os.ReadFile(output.Name())
		if readErr != nil {
			return readErr
		}
		return fmt.Errorf("registry-server %s: %w\n%s", command, err, tail(said))
	}
	return nil
}

// Down ends the registry and its Postgres and removes their data. It can be called more than once.
func (g *Registry) Down() {
	if _, err := os.Stat(filepath.Join(g.root, "state")); err == nil {
		if err := g.call(context.WithoutCancel(g.tb.Context()), "down"); err != nil {
			g.tb.Errorf("stop the official registry: %v", err)
			return // its files may still be in use
		}
	}
	if err := os.RemoveAll(g.root); err != nil {
		g.tb.Errorf("remove the data of the official registry: %v", err)
	}
}
