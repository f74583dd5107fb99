//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// pollEvery is the pause between two looks at something that another process decides: a lock, or the state of the server.
const pollEvery = 10 * time.Millisecond

// createOwned opens a file for reading and appending; when it creates it, the file belongs to the account of the server,
// so that this account can use the same directory without root. A symbolic link is never followed.
func createOwned(path string, acct account) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND | syscall.O_NOFOLLOW
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, flags, 0)
	} else if err == nil && acct.switched {
		err = f.Chown(acct.uid, acct.gid)
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, fmt.Errorf("the data directory is not ours to write: run as its owner or choose another with --data-dir: %w", err)
	}
	return f, nil
}

// tryLock asks for a flock(2) lock and reports whether it was given. Changing a lock that is held is not atomic: other
// processes may come between, unless they need the start lock first.
func tryLock(f *os.File, how int) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

// takeLock takes a lock that nobody of ours can have.
func takeLock(f *os.File, how int) error {
	got, err := tryLock(f, how)
	if err == nil && !got {
		return fmt.Errorf("%s is locked by something that is not mcpcensus", f.Name())
	}
	return err
}

// waitLock waits for an exclusive lock. It polls, because a blocked flock(2) cannot be called off.
func waitLock(ctx context.Context, f *os.File, slow func()) error {
	notice := time.AfterFunc(2*time.Second, slow)
	defer notice.Stop()
	for {
		got, err := tryLock(f, syscall.LOCK_EX)
		if got || err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("waiting for another command to start or stop the embedded server: %w", err)
		}
	}
}

// pause waits for the next look, or for the end of the context.
func pause(ctx context.Context) error {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
