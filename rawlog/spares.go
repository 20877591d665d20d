package rawlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// stock is how many folders are made ahead.
const stock = 4

// spares are folders of first runs, made ahead with their files in them. A new
// inode can cost hundreds of microseconds, on a file system that has freed many
// lately; renaming a folder costs ten, and the making is done while programs
// run. It is an economy only: whoever finds no spare makes what it needs.
type spares struct {
	dir string

	mu     sync.Mutex
	ready  []*spare
	made   int
	making bool
	off    bool // closed, or this system cannot rename what is open
	wg     sync.WaitGroup
}

// spare is one such folder.
type spare struct {
	path  string
	files [2]*fileBacking
}

// take makes a spare the folder at path, which must not exist. It returns nil
// if there is none, and sees to it that there will be.
func (s *spares) take(path string) *spare {
	s.mu.Lock()
	var sp *spare
	if n := len(s.ready); n > 0 {
		sp, s.ready = s.ready[n-1], s.ready[:n-1]
	}
	if !s.making && !s.off && len(s.ready) < stock/2 {
		s.making = true
		s.wg.Go(s.fill)
	}
	s.mu.Unlock()
	if sp == nil {
		return nil
	}
	if err := os.Rename(sp.path, path); err != nil {
		s.giveBack(sp, err)
		return nil
	}
	for _, f := range sp.files {
		f.path = filepath.Join(path, filepath.Base(f.path))
	}
	return sp
}

// giveBack keeps a spare that could not be used where that is the path's fault,
// and gives up on spares where it is not.
func (s *spares) giveBack(sp *spare, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off || !os.IsExist(err) {
		s.off = true
		sp.remove()
		return
	}
	s.ready = append(s.ready, sp)
}

// fill makes spares until there are enough.
func (s *spares) fill() {
	// Whoever asked for a spare is about to make this folder itself; without
	// it here, the one that comes first decides whether there will be spares.
	_ = os.MkdirAll(s.dir, 0o700)
	s.sweep()
	for {
		s.mu.Lock()
		if s.off || len(s.ready) >= stock {
			s.making = false
			s.mu.Unlock()
			return
		}
		s.made++
		n := s.made
		s.mu.Unlock()
		sp, err := makeSpare(filepath.Join(s.dir, fmt.Sprintf("%s%d-%d", sparePrefix, os.Getpid(), n)))
		s.mu.Lock()
		if err != nil || s.off {
			s.making = false
			s.mu.Unlock()
			if sp != nil {
				sp.remove()
			}
			return
		}
		s.ready = append(s.ready, sp)
		s.mu.Unlock()
	}
}

const sparePrefix = ".spare-"

// sweep removes, before the first spare is made, those of hosts that died.
func (s *spares) sweep() {
	s.mu.Lock()
	first := s.made == 0
	s.mu.Unlock()
	if !first {
		return
	}
	old, _ := filepath.Glob(filepath.Join(s.dir, sparePrefix+"*"))
	for _, path := range old {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), sparePrefix), "-")
		if !alive(pid) {
			_ = os.RemoveAll(path)
		}
	}
}

func makeSpare(path string) (*spare, error) {
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, err
	}
	sp := &spare{path: path}
	for i := range sp.files {
		f, err := createFile(filepath.Join(path, "1."+Stream(i).String()))
		if err != nil {
			sp.remove()
			return nil, err
		}
		sp.files[i] = f
	}
	index, err := createIndex(filepath.Join(path, "1"+indexSuffix))
	if err != nil {
		sp.remove()
		return nil, err
	}
	// It is opened again with the first line: a process may be silent for days.
	return sp, index.Close()
}

func (sp *spare) remove() {
	for _, f := range sp.files {
		if f != nil {
			_ = f.close()
		}
	}
	_ = os.RemoveAll(sp.path)
}

func (s *spares) close() {
	s.mu.Lock()
	s.off = true
	ready := s.ready
	s.ready = nil
	s.mu.Unlock()
	for _, sp := range ready {
		sp.remove()
	}
	s.wg.Wait()
}
