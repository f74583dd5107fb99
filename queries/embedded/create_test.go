//go:build linux || darwin

package embedded

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A command that is killed while it makes the cluster leaves a partial one, and an initdb that may still be at work.
func TestAdoptionKilledInitdb(t *testing.T) {
	t.Parallel()
	needBinaries(t)
	dir := newDir(t)
	other := startHolder(t, dir)
	partials := func() []string {
		left, _ := filepath.Glob(filepath.Join(dir, partialPrefix+"*"))
		return left
	}
	eventually(t, "initdb begins", func() bool {
		begun, _ := filepath.Glob(filepath.Join(dir, partialPrefix+"*", "data", "*"))
		return len(begun) > 0
	})
	other.kill(t)
	left := partials()
	if len(left) != 1 {
		t.Fatalf("partial clusters %v", left)
	}
	server := start(t, dir, Options{Throwaway: true})
	if got := ask(t, server, "select 'up'"); got != "up" {
		t.Error("no answer")
	}
	release(t, server)
	marker, err := os.Open(filepath.Join(left[0], markerName))
	if err == nil { // initdb was still at work when the second command looked
		eventually(t, "the orphaned initdb ends", func() bool {
			free, err := tryLock(marker, syscall.LOCK_EX)
			return free && err == nil
		})
		marker.Close()
	}
	release(t, start(t, dir, Options{Throwaway: true}))
	if left := partials(); left != nil {
		t.Errorf("partial clusters stay: %v", left)
	}
}

func TestRemovePartial(t *testing.T) {
	t.Parallel()
	c := cluster{dir: filepath.Join(t.TempDir(), "odd [name]*"), acct: account{uid: os.Geteuid()}}
	write := func(name, text string) string {
		path := filepath.Join(c.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("postgres.partial-1/"+markerName, markerText)
	write("postgres.partial-1/data/base/1", "half")
	write("postgres.partial-2/PG_VERSION", "15\n") // no marker
	write("postgres.partial-3/"+markerName, markerText+"and more")
	held := write("postgres.partial-4/"+markerName, markerText)
	write("postgres.other/"+markerName, markerText)
	target := write("elsewhere/"+markerName, markerText)
	if err := os.Symlink(filepath.Dir(target), filepath.Join(c.dir, "postgres.partial-5")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(held)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := takeLock(f, syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := c.removePartial(); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{
		"postgres.partial-1": false, "postgres.partial-2": true, "postgres.partial-3": true,
		"postgres.partial-4": true, "postgres.other": true, "elsewhere/" + markerName: true,
	} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); (err == nil) != stays {
			t.Errorf("%s: stays %v, want %v", name, err == nil, stays)
		}
	}
}
