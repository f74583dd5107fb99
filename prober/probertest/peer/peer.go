//go:build unix

package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// startWait is how long a server may take until it accepts connections. It is a limit, not a pause.
const startWait = 60 * time.Second

// Running is a real server that runs until the test ends.
type Running struct {
	Family
	URL string
}

// Start runs a server of the family on a free loopback port until the test ends.
func Start(tb testing.TB, name Name) Running {
	tb.Helper()
	family, ok := find(name)
	if !ok {
		tb.Fatalf("there is no family called %s", name)
	}
	var err error
	for range 3 { // another process may take the free port first
		port := freePort(tb)
		if err = launch(tb, family.command(tb, port), port); err == nil {
			return Running{Family: family, URL: fmt.Sprintf("http://127.0.0.1:%d%s", port, family.Path)}
		}
	}
	tb.Fatalf("start a real server of family %s: %v", name, err)
	return Running{}
}

func find(name Name) (Family, bool) {
	for _, f := range Families() {
		if f.Name == name {
			return f, true
		}
	}
	return Family{}, false
}

func (f Family) command(tb testing.TB, port int) *exec.Cmd {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context()) // it serves until launch stops it, after the test's own cleanups
	number := strconv.Itoa(port)
	if f.gopr != "" {
		return exec.CommandContext(ctx, goPeer(tb), f.gopr, number)
	}
	var args []string
	for _, a := range f.node {
		args = append(args, strings.ReplaceAll(a, "{port}", number))
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = nodeDir(tb)
	cmd.Env = os.Environ()
	for _, v := range f.env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(v, "{port}", number))
	}
	return cmd
}

// launch starts the program in a process group of its own, which ends with the test, and waits for its port.
func launch(tb testing.TB, cmd *exec.Cmd, port int) error {
	tb.Helper()
	output := &log{}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended shows in its output
		close(ended)
	}()
	stop := func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails only when the group has ended
		<-ended
	}
	if err := await(tb.Context(), port, ended); err != nil {
		stop()
		return fmt.Errorf("%w\n%s", err, output.tail())
	}
	tb.Cleanup(stop)
	return nil
}

// await returns once the port accepts connections.
func await(ctx context.Context, port int, ended <-chan struct{}) error {
	deadline := time.NewTimer(startWait)
	defer deadline.Stop()
	again := time.NewTicker(25 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ended:
			return errors.New("the program ended at once")
		case <-deadline.C:
			return fmt.Errorf("the program does not listen after %s", startWait)
		case <-again.C:
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return conn.Close()
		}
	}
}

// Ports are taken below the range from which the kernel gives ports to connections (from 32768 on Linux): a connection
// could take the port in the meantime, or even meet itself while it waits for a server.
const (
	firstPort = 20_000
	ports     = 12_000
)

// freePort returns a port on which nobody listens. No two calls of a process return the same one, and those of different
// processes begin at different places.
func freePort(tb testing.TB) int {
	tb.Helper()
	for range ports {
		port := firstPort + int(nextPort.Add(1))%ports
		listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = listener.Close() // was only there to see
			return port
		}
	}
	tb.Fatal("no port is free")
	return 0
}

// nextPort counts the ports that this process was given.
var nextPort = func() *atomic.Uint32 {
	var n atomic.Uint32
	n.Store(uint32(os.Getpid()) * 61)
	return &n
}()

// log collects what a program prints.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the log.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) tail() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(tail(l.buf.Bytes()))
}
