//go:build linux || darwin

package embedded

import "testing"

func FuzzParsePIDFile(f *testing.F) {
	f.Add("4711\n/data dir\n1700000000\n5432\n/run/socket\n\n 1 2\nready   \n")
	f.Add("4711\n/data\n")
	f.Add("-1\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePIDFile(text)
		if err == nil && p.pid <= 0 {
			t.Errorf("process %d from %q", p.pid, text)
		}
	})
}

func TestParsePIDFile(t *testing.T) {
	t.Parallel()
	const head = "4711\n/data dir\n1700000000"
	for _, tt := range []struct {
		name, text string
		want       pidFile
	}{
		{"ready", head + "\n5432\n/run/a b\n\n 1 2\nready   \n", pidFile{4711, 5432, "/run/a b", "ready", head}},
		{"starting", head + "\n5432\n\n", pidFile{4711, 5432, "", "", head}},
		{"being written", "4711\n/da", pidFile{4711, 0, "", "", "4711\n/da\n"}},
	} {
		if got, err := parsePIDFile(tt.text); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}
