//go:build linux || darwin

package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// maxSocketPath is how long the path of a unix socket may be: sun_path of sockaddr_un(7) without its final zero byte.
func maxSocketPath() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

// socketFits reports whether Postgres can make its socket in a directory, and every client can name it: a comma would
// separate two directories, a quotation mark would quote.
func socketFits(dir string) bool {
	return len(filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(port))) <= maxSocketPath() && !strings.ContainsAny(dir, `,"`)
}

// socketDir returns the directory for the socket of a data directory: one inside it or, where that path would be too
// long, a short one under the directory for temporary files that is named after it.
func socketDir(dir, temp string) (string, error) {
	hash := sha256.Sum256([]byte(dir))
	short := "mcpcensus-" + hex.EncodeToString(hash[:8])
	for _, candidate := range []string{filepath.Join(dir, "socket"), filepath.Join(temp, short), filepath.Join("/tmp", short)} {
		if socketFits(candidate) {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("no directory for the socket of %s has a short enough name: choose another with --data-dir", dir)
}

// makeSocketDir makes a directory that only the account (and root) can enter, or makes sure that it is one: whoever can
// enter it is the superuser of the database.
func makeSocketDir(dir string, acct account) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		if err := acct.own(dir); err != nil {
			return fmt.Errorf("make the socket directory: %w", err)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the socket directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the socket directory: %w", err)
	}
	if !info.IsDir() || ownerIn(info) != acct.uid || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s, where the socket of the server belongs, is not a private directory of %s: remove it and try again", dir, acct.name)
	}
	return nil
}
