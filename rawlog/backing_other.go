//go:build !linux

package rawlog

import (
	"io"
	"os"
)

// newMemory makes the backing for logs that are kept in memory.
func newMemory() (backing, error) { return newHeap(), nil }

func readv(f *os.File, a, b []byte, off int64) (int, error) {
	n, err := f.ReadAt(a, off)
	if err == nil {
		var m int
		m, err = f.ReadAt(b, off+int64(n))
		n += m
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func fileSize(f *os.File) (int64, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func openPath(path string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, perm)
}

func reopen(_ *os.File, path string) (*os.File, error) { return os.Open(path) }

// nextData knows nothing of holes here.
func nextData(_ *os.File, off int64) int64 { return off }
