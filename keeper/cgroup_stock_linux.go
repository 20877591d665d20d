package keeper

import (
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The stock is worked on in batches, or when nothing has happened for a while:
// mkdir, rmdir and a birth into a cgroup exclude each other in the kernel, and
// one such meeting per spawn would cost more than the stock saves.
const (
	stockFull  = 32
	stockLow   = 8
	stockUsed  = 24
	stockQuiet = 20 * time.Millisecond
)

// runDir is a fresh cgroup directory with a descriptor to be born through.
type runDir struct {
	path  string
	fd    int
	bound bound
}

// cgroupStock makes the directories of runs ahead of time and removes used
// ones afterwards, so that a spawn pays for neither. One goroutine does both.
type cgroupStock struct {
	base   string
	bounds *bounds
	wake   chan struct{}
	quit   chan struct{}
	done   chan struct{}
	quiet  *time.Timer

	mu    sync.Mutex // guards the rest
	next  int
	fresh []runDir
	used  []usedDir
}

type usedDir struct {
	path  string
	bound bound
}

func newCgroupStock(base string, b *bounds) *cgroupStock {
	s := &cgroupStock{
		base: base, bounds: b, wake: make(chan struct{}, 1),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	s.quiet = time.AfterFunc(stockQuiet, s.nudge)
	go s.run()
	return s
}

// take returns a fresh directory; the caller closes its descriptor.
func (s *cgroupStock) take() (runDir, error) {
	s.mu.Lock()
	n := len(s.fresh)
	if n == 0 {
		s.mu.Unlock()
		s.nudge()
		return s.make()
	}
	d := s.fresh[n-1]
	s.fresh = s.fresh[:n-1]
	s.mu.Unlock()
	s.plan(n <= stockLow)
	return d, nil
}

// giveBack has a directory removed, never used again, and what bounded it.
func (s *cgroupStock) giveBack(path string, d bound) {
	s.mu.Lock()
	s.used = append(s.used, usedDir{path, d})
	n := len(s.used)
	s.mu.Unlock()
	s.plan(n >= stockUsed)
}

// plan has the goroutine work now, or when it is quiet.
func (s *cgroupStock) plan(now bool) {
	if now {
		s.nudge()
		return
	}
	s.quiet.Reset(stockQuiet)
}

func (s *cgroupStock) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *cgroupStock) make() (runDir, error) {
	s.mu.Lock()
	s.next++
	path := s.base + "/" + strconv.Itoa(s.next)
	s.mu.Unlock()
	if err := os.Mkdir(path, 0o755); err != nil {
		return runDir{}, err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = unix.Rmdir(path)
		return runDir{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return runDir{path: path, fd: fd, bound: s.bounds.prepare(path)}, nil
}

func (s *cgroupStock) run() {
	defer close(s.done)
	for {
		select {
		case <-s.wake:
		case <-s.quit:
			return
		}
		s.clean()
		s.fill()
	}
}

// fill makes directories until the stock is full. An error is left for the
// next spawn to meet.
func (s *cgroupStock) fill() {
	for {
		s.mu.Lock()
		full := len(s.fresh) >= stockFull
		s.mu.Unlock()
		if full {
			return
		}
		d, err := s.make()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.fresh = append(s.fresh, d)
		s.mu.Unlock()
	}
}

// clean removes used directories; one that is still busy waits for the next
// time, or for the end.
func (s *cgroupStock) clean() {
	s.mu.Lock()
	used := s.used
	s.used = nil
	s.mu.Unlock()
	var busy []usedDir
	for _, u := range used {
		if err := removeCgroup(u.path); err != nil {
			busy = append(busy, u)
			continue
		}
		s.bounds.discard(u.bound)
	}
	s.mu.Lock()
	s.used = append(s.used, busy...)
	s.mu.Unlock()
}

// close ends the goroutine; what is left of the directories goes with the base.
func (s *cgroupStock) close() {
	s.quiet.Stop()
	close(s.quit)
	<-s.done
	for _, d := range s.fresh {
		unix.Close(d.fd)
	}
}
