package world

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// sharedFile finds a file of the project's test material, or skips the test.
func sharedFile(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv("MCPCENSUS_SHARED"); dir != "" {
		return filepath.Join(dir, name)
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; at = filepath.Dir(at) {
		path := filepath.Join(at, "shared", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if at == filepath.Dir(at) {
			t.Skipf("no shared/%s above the test: set MCPCENSUS_SHARED to run it", name)
		}
	}
}

func TestRealRowsAreServed(t *testing.T) {
	t.Parallel()
	file, err := os.Open(sharedFile(t, "data/registry-rows-2025-12-07.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(unzipped)
	if err != nil || len(rows) != 1160 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	walked, pages := walk(t, NewRegistry(rows), 100)
	if len(walked) != 1160 || pages != 12 {
		t.Errorf("a walk finds %d rows on %d pages", len(walked), pages)
	}
}
