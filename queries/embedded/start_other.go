//go:build !linux && !darwin

package embedded

import (
	"context"
	"errors"
)

// Start is not available here: the embedded server needs unix sockets with file permissions and flock(2).
func Start(context.Context, string, Options) (*Server, error) {
	return nil, errors.New("the embedded Postgres runs on Linux and macOS only: name a running server with --database-url")
}
