package rawlog

import (
	"errors"
	"os"
	"sync"
)

// fileBacking is a file on disk. The reading descriptor is opened when there is
// something to read, so that a silent run never pays for it.
type fileBacking struct {
	path string

	mu     sync.Mutex // guards the making of w and r
	w, r   *os.File
	handed bool
}

const appendMode = os.O_WRONLY | os.O_APPEND

// createFile makes a fresh file.
func createFile(path string) (*fileBacking, error) {
	w, err := openPath(path, appendMode|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileBacking{path: path, w: w}, nil
}

// openFile takes up a file that exists, of a child that may still write.
func openFile(path string) (*fileBacking, error) {
	r, err := openPath(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return &fileBacking{path: path, r: r, handed: true}, nil
}

func (b *fileBacking) writer() (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.w == nil {
		w, err := openPath(b.path, appendMode, 0)
		if err != nil {
			return nil, err
		}
		b.w = w
	}
	return b.w, nil
}

func (b *fileBacking) reader() (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.r == nil {
		r, err := reopen(b.w, b.path)
		if err != nil {
			return nil, err
		}
		b.r = r
	}
	return b.r, nil
}

// any returns whichever descriptor is open.
func (b *fileBacking) any() *os.File {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.r != nil {
		return b.r
	}
	return b.w
}

func (b *fileBacking) write(p []byte) error {
	w, err := b.writer()
	if err != nil {
		return err
	}
	_, err = w.Write(p)
	return err
}

func (b *fileBacking) readv(x, y []byte, off int64) (int, error) {
	if b.silent(off) {
		return 0, nil
	}
	r, err := b.reader()
	if err != nil {
		return 0, err
	}
	return readv(r, x, y, off)
}

// silent reports whether nothing was read so far and nothing is there to be read
// at off.
func (b *fileBacking) silent(off int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.r != nil {
		return false
	}
	n, err := fileSize(b.w)
	return err == nil && n <= off
}

func (b *fileBacking) size() (int64, error) { return fileSize(b.any()) }

func (b *fileBacking) punch(from, to int64) error {
	w, err := b.writer()
	if err != nil {
		return err
	}
	return punch(w, b.path, from, to)
}

func (b *fileBacking) handOut() (*os.File, error) {
	b.handed = true
	return b.writer()
}

func (b *fileBacking) watchPath() (string, bool) {
	if !b.handed {
		return "", false
	}
	return b.path, true
}

func (b *fileBacking) close() error {
	var errs []error
	for _, f := range []*os.File{b.w, b.r} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
