package tui

import (
	"context"
	"io"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Config is what the dashboard is told by who starts it. Source is all it must
// have.
type Config struct {
	Source Source
	Host   string // the daemon's address, to be shown
	ASCII  bool   // draw in ASCII only
	Plain  bool   // no colours
	Mouse  bool   // clicks select, the wheel scrolls
	Now    func() time.Time

	// Attach sits down at a process, as "reeve attach" does. It has the terminal
	// for itself. Nil: that cannot be done here.
	Attach func(ctx context.Context, id process.ID) error
	// Command makes a request of a command line, in the caller's surroundings.
	// Nil: the daemon's shell runs it in its own.
	Command func(line string) (api.Create, error)

	// Of the terminal; nil: the process's own.
	Input   io.Reader
	Output  io.Writer
	Environ []string
}
