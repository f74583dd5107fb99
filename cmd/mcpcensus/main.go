package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Exit codes of every command but check, whose codes its help explains.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 3 // stopped before the end; the run can be resumed
)

func main() {
	// Whoever reads our output may go away (| head): that is an error of a write, not the death of a program that has a
	// database server to stop.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the program at once.
	context.AfterFunc(ctx, stop)
	code := execute(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var coded *codedError
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitFailed // nobody reads any more
	case errors.As(err, &coded):
		if coded.err != nil {
			fmt.Fprintln(s.err, "mcpcensus:", sentence(coded.err))
		}
		return coded.code
	}
	fmt.Fprintln(s.err, "mcpcensus:", sentence(err))
	return exitFailed
}

// sentence brings an error on one line: those of the database have several.
func sentence(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":;", ":")
}

// codedError is an error with an exit code of its own; a nil err prints nothing.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *codedError) Unwrap() error { return e.err }

func usageError(err error) error { return &codedError{code: exitUsage, err: err} }
