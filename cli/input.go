package cli

import (
	"fmt"
	"io"
	"os"
)

// maxInput bounds what is read for a job before it starts.
const maxInput = 256 << 20

// pipedInput returns what was piped in or redirected from a file. It reads
// nothing from a terminal or a device: under cron, or in a test, such an input
// may never end.
func (a *App) pipedInput() ([]byte, error) {
	if a.Stdin == nil {
		return nil, nil
	}
	if !isPiped(a.Stdin) { // or closed
		return nil, nil
	}
	return readInput(a.Stdin)
}

func readInput(f *os.File) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > maxInput {
		return nil, fmt.Errorf("standard input is larger than %s: pass the name of a file instead", byteCount(maxInput))
	}
	return b, nil
}
