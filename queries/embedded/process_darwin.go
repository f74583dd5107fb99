package embedded

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// mayBeServer reports whether a process lives and may be the server of a cluster: it is called postgres, runs under that
// account and is no zombie. The system does not show the working directory of a process.
func mayBeServer(pid int, _ string, uid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	out, err := exec.Command("/bin/ps", "-o", "state=,uid=,comm=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return false // ps fails when there is no such process
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 || strings.HasPrefix(fields[0], "Z") {
		return false
	}
	owner, err := strconv.Atoi(fields[1])
	if err != nil || uint32(owner) != uint32(uid) {
		return false
	}
	return filepath.Base(fields[2]) == "postgres" || strings.HasPrefix(fields[2], "postgres:")
}
