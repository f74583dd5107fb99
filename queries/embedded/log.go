//go:build linux || darwin

package embedded

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLog is the size at which the log of the server is put aside when the server starts.
const maxLog = 16 << 20

// openLog opens the log for the server, and returns where its new lines will begin.
func (c cluster) openLog() (*os.File, int64, error) {
	name := c.path("postgres.log")
	if info, err := os.Lstat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".1"); err != nil {
			return nil, 0, fmt.Errorf("put the log of the server aside: %w", err)
		}
	}
	f, err := createOwned(name, c.acct)
	if err != nil {
		return nil, 0, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, 0, fmt.Errorf("open the log of the server: %w", err)
	}
	return f, end, nil
}

// logEnd returns the size of the log.
func (c cluster) logEnd() int64 {
	info, err := os.Stat(c.path("postgres.log"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail words the last lines of the log since a position, to end an error message with.
func (c cluster) logTail(from int64) string {
	f, err := os.Open(c.path("postgres.log"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const atMost = 64 << 10
	if end := c.logEnd(); end-from > atMost {
		from = end - atMost
	}
	text, err := io.ReadAll(io.NewSectionReader(f, from, atMost))
	if err != nil || len(text) == 0 {
		return ""
	}
	return "; the log of the server ends with:\n" + lastLines(string(text))
}

// lastLines returns the last dozen lines of a text.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
