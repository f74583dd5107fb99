package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcensus/mcpcensus/queries/testdb"
)

func TestMain(m *testing.M) {
	code := testdb.Main(m)
	_ = os.RemoveAll(build.dir) // nothing was built, or nobody needs it any more
	os.Exit(code)
}

var build struct {
	once      sync.Once
	dir, path string
	err       error
}

// binary builds the program once for all tests that need it as a process of its own.
func binary(t *testing.T) string {
	t.Helper()
	build.once.Do(func() {
		build.dir, build.err = os.MkdirTemp("", "mcpcensus-test-")
		if build.err != nil {
			return
		}
		build.path = filepath.Join(build.dir, "mcpcensus")
		out, err := exec.Command("go", "build", "-o", build.path, ".").CombinedOutput()
		if err != nil {
			build.err = err
			t.Logf("%s", out)
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.path
}

// command runs one command line in this process and returns its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = execute(context.Background(), args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}
