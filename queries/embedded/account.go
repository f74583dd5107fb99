//go:build linux || darwin

package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// usualAccounts are the accounts that the server may run under when the caller is root, best first.
var usualAccounts = []string{"postgres", "_postgres", "nobody"}

// account is who the server runs as.
type account struct {
	name     string
	uid, gid int
	switched bool // the caller is root and the account is another
}

// chooseAccount decides who runs the server. For root it is the account that already owns the cluster, if it is one of
// those named, else the first of them that exists.
func chooseAccount(names []string, data string) (account, error) {
	if os.Geteuid() != 0 {
		return account{name: userName(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if names == nil {
		names = usualAccounts
	}
	var found []account
	for _, name := range names {
		if acct, err := lookupAccount(name); err == nil && acct.uid != 0 {
			found = append(found, acct)
		}
	}
	if len(found) == 0 {
		return account{}, fmt.Errorf("postgres refuses to run as root, and there is no account %s to run it under: "+
			"run mcpcensus as an ordinary user or give --database-url", strings.Join(names, " or "))
	}
	if owner, err := ownerOf(data); err == nil {
		if i := slices.IndexFunc(found, func(a account) bool { return a.uid == owner }); i >= 0 {
			return found[i], nil
		}
	}
	return found[0], nil
}

func lookupAccount(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return account{name: name, uid: uid, gid: gid, switched: true}, errors.Join(err1, err2)
}

// userName is the name of a user id, or the number where it has no name.
func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(uid)
}

// ownerOf returns the user id that owns a file.
func ownerOf(path string) (int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return ownerIn(info), nil
}

func ownerIn(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// own gives a path that this process has just created to the account.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// command prepares a program to run under the account, in a session of its own, so that no Ctrl-C of a terminal reaches
// it, with nothing of the caller's environment that would change what Postgres does.
func (a account) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...) //nolint:noctx // a context would kill it; it is asked to end, or outlives us
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "PWD=" + dir}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// checkReach makes sure that the account can run the programs and enter the directory. It tries, rather than reading
// permission bits, because access lists and mount options decide too.
func (a account) checkReach(bin Binaries, dir string) error {
	if !a.switched {
		return nil
	}
	try := func(dir string) error { return a.command(dir, bin.Path("postgres"), "--version").Run() }
	if try(dir) == nil {
		return nil
	}
	if err := try("/"); err != nil {
		return fmt.Errorf("the account %s cannot run %s: install PostgreSQL where every account can read it, or set $%s: %w",
			a.name, bin.Path("postgres"), BinEnv, err)
	}
	closed := dir
	for parent := filepath.Dir(closed); try(parent) != nil; parent = filepath.Dir(closed) {
		closed = parent
	}
	return fmt.Errorf("the account %s, which runs the server because postgres refuses to run as root, cannot enter %s: "+
		"choose a directory that it can enter, such as /var/lib/mcpcensus, with --data-dir, or allow it with chmod o+x %s",
		a.name, closed, closed)
}
