package rawlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ensure makes the stream's backing without holding up those who have one.
func (l *Log) ensure(s Stream) error {
	l.mu.RLock()
	made := l.streams[s].b != nil
	l.mu.RUnlock()
	if made {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.streams[s].open()
	return err
}

// open makes the stream's backing if there is none yet. l.mu is held.
func (st *stream) open() (backing, error) {
	l := st.log
	if l.closing || l.finished {
		return nil, ErrFinished
	}
	if st.b != nil {
		return st.b, nil
	}
	var err error
	if l.policy.OnDisk() {
		st.b, err = l.createFile(st.id)
	} else {
		st.b, err = newMemory()
	}
	if err != nil {
		st.b = nil
		return nil, fmt.Errorf("make log of %d-%d: %w", l.id, l.run, err)
	}
	return st.b, nil
}

func (l *Log) createFile(s Stream) (backing, error) {
	if l.logs.cfg.Dir == "" {
		return nil, ErrNoDir
	}
	if b := l.takeSpare(s); b != nil {
		return b, nil
	}
	if err := l.makeDir(); err != nil {
		return nil, err
	}
	b, err := createFile(l.path("." + s.String()))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// takeSpare gives a process's first run its folder and files at once, if they
// were made ahead. l.mu is held.
func (l *Log) takeSpare(s Stream) backing {
	if l.run != 1 || !l.fresh || l.streams[0].b != nil || l.streams[1].b != nil {
		return nil
	}
	sp := l.logs.spares.take(l.logs.dir(l.id))
	if sp == nil {
		return nil
	}
	l.streams[0].b, l.streams[1].b = sp.files[0], sp.files[1]
	return sp.files[s]
}

// makeDir makes the process's folder with its first stream, and clears it of a
// run of the same number: one whose record was lost.
func (l *Log) makeDir() error {
	if l.streams[0].b != nil || l.streams[1].b != nil {
		return nil
	}
	dir := l.logs.dir(l.id)
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
		if l.fresh {
			err = l.logs.unlink(l.id, l.run)
		}
	}
	return err
}

func (l *Log) path(suffix string) string { return l.logs.path(l.id, l.run, suffix) }
