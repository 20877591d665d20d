//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// interruptible: reading from standard input ends with its context.
const interruptible = true

// patientReader reads a file when there is something to read, so that nothing
// is taken from a terminal after it was left.
type patientReader struct {
	ctx  context.Context // of the reading, which is all it is there for
	file *os.File
	over *os.File // readable when ctx is over
}

func openInput(ctx context.Context, f *os.File) (io.Reader, func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { w.Close() })
	return &patientReader{ctx, f, r}, func() {
		if stop() {
			w.Close()
		}
		r.Close()
	}, nil
}

func (p *patientReader) Read(b []byte) (int, error) {
	file, over := int(p.file.Fd()), int(p.over.Fd())
	for {
		var set unix.FdSet
		set.Set(file)
		set.Set(over)
		_, err := unix.Select(max(file, over)+1, &set, nil, nil, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, os.NewSyscallError("select", err)
		case set.IsSet(over):
			return 0, context.Cause(p.ctx)
		}
		return p.file.Read(b)
	}
}

// resizes delivers a signal whenever the terminal's size has changed.
func resizes() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
