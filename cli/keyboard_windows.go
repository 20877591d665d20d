package cli

import (
	"context"
	"io"
	"os"
)

// interruptible: a read from a console cannot be given up. It ends with the
// program, which has nothing else to do by then.
const interruptible = false

func openInput(_ context.Context, f *os.File) (io.Reader, func(), error) { return f, func() {}, nil }

// resizes never delivers anything: Windows has no such signal.
func resizes() (<-chan os.Signal, func()) { return nil, func() {} }
