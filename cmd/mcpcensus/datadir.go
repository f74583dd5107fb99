package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// defaultDataDir is where the census keeps its data when --data-dir does not say otherwise: the platform's place for it.
// For root it is a directory of the system, since the database server runs as another account that must be able to enter.
func defaultDataDir() (string, error) {
	if dir := os.Getenv("MCPCENSUS_DATA_DIR"); dir != "" {
		return dir, nil
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		return "/var/lib/mcpcensus", nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "mcpcensus"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home directory to keep data in; say where with --data-dir: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "mcpcensus"), nil
	}
	return filepath.Join(home, ".local", "share", "mcpcensus"), nil
}
