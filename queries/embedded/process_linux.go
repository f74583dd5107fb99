package embedded

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// mayBeServer reports whether a process lives and may be the server of the cluster in data: it is called postgres, runs
// under that account and has the cluster as its working directory. Where the system does not tell, the answer is yes.
func mayBeServer(pid int, data string, uid int) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(proc + "/stat")
	if errors.Is(err, fs.ErrNotExist) {
		_, noProc := os.Stat("/proc/self/stat")
		return noProc != nil && syscall.Kill(pid, 0) == nil
	}
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	// pid (name) state …: the name may hold anything, even parentheses.
	text := string(stat)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return true
	}
	name, rest := text[open+1:end], strings.TrimSpace(text[end+1:])
	if strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X") || (name != "postgres" && name != "postmaster") {
		return false
	}
	cwd, err := os.Stat(proc + "/cwd")
	if err != nil { // a container's root may not look into processes of other accounts
		owner, err := ownerOf(proc)
		return err == nil && owner == uid
	}
	want, err := os.Stat(data)
	return err == nil && os.SameFile(cwd, want)
}
