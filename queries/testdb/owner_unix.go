//go:build unix

package testdb

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedByMe(info fs.FileInfo) bool { return int(info.Sys().(*syscall.Stat_t).Uid) == os.Getuid() }
