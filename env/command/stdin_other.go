//go:build !linux

package command

import "os"

// bytesFile is a pipe that b is written to. The writer ends when all is read
// or the child's end is closed.
func bytesFile(b []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer w.Close()
		_, _ = w.Write(b)
	}()
	return r, nil
}
