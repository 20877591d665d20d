package keeper

import (
	"fmt"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// exits is how the ends of processes become known: one kqueue and one thread
// for all of them.
type exits struct {
	kq   int
	done chan struct{}

	mu      sync.Mutex
	waiters map[int][]chan notice // by pid; guarded by mu
}

// notice is the end of a process. Status is a child's wait status.
type notice struct{ status syscall.WaitStatus }

// wakeUp is the event that ends the thread.
const wakeUp = 1

func newExits(Options) (*exits, error) {
	kq, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("kqueue: %w", err)
	}
	unix.CloseOnExec(kq)
	x := &exits{kq: kq, done: make(chan struct{}), waiters: make(map[int][]chan notice)}
	if err := x.change(wakeUp, unix.EVFILT_USER, unix.EV_ADD|unix.EV_CLEAR, 0); err != nil {
		unix.Close(kq)
		return nil, fmt.Errorf("kevent: %w", err)
	}
	go x.run()
	return x, nil
}

func (x *exits) change(ident int, filter, flags int, fflags uint32) error {
	var ev unix.Kevent_t
	unix.SetKevent(&ev, ident, filter, flags)
	ev.Fflags = fflags
	for {
		_, err := unix.Kevent(x.kq, []unix.Kevent_t{ev}, nil, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

func (x *exits) run() {
	defer close(x.done)
	events := make([]unix.Kevent_t, 64)
	for {
		n, err := unix.Kevent(x.kq, nil, events, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return
		}
		for _, ev := range events[:n] {
			if ev.Filter == unix.EVFILT_USER {
				return
			}
			x.tell(int(ev.Ident), notice{status: syscall.WaitStatus(ev.Data)})
		}
	}
}

func (x *exits) tell(pid int, n notice) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, ch := range x.waiters[pid] {
		ch <- n // each has room for its only notice
	}
	delete(x.waiters, pid)
}

// expect returns a channel that gets one notice of a process's end. It fails
// with ESRCH if that has come already.
func (x *exits) expect(pid int, fflags uint32) (<-chan notice, error) {
	ch := make(chan notice, 1)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.change(pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT, fflags); err != nil {
		return nil, err
	}
	x.waiters[pid] = append(x.waiters[pid], ch)
	return ch, nil
}

func (x *exits) close() error {
	if err := x.change(wakeUp, unix.EVFILT_USER, 0, unix.NOTE_TRIGGER); err != nil {
		return fmt.Errorf("kevent: %w", err)
	}
	<-x.done
	return unix.Close(x.kq)
}

// watch waits for the ends of processes until it is closed.
type watch struct {
	exits *exits
	quit  chan struct{}
	once  sync.Once
}

func (x *exits) watch() *watch { return &watch{exits: x, quit: make(chan struct{})} }

func (w *watch) close() { w.once.Do(func() { close(w.quit) }) }

// waitGone waits for the end of a process that need not be a child, if same
// confirms that it is the one meant. It reports whether there was anything to
// wait for.
func (w *watch) waitGone(pid int, same func(int) bool) (bool, error) {
	ch, err := w.exits.expect(pid, unix.NOTE_EXIT)
	if err != nil || !same(pid) {
		return false, nil
	}
	select {
	case <-ch:
		return true, nil
	case <-w.quit:
		return false, ErrLost
	}
}

// holds and hold are for systems where some jobs are held otherwise.
func (x *exits) holds(*command) bool { return false }

func (x *exits) hold(*command) (tree, int, error) { return nil, 0, syscall.ENOSYS }

// lease is what bounds a job: nothing, here.
type lease struct{}

func (l *lease) overran() Limit { return "" }
func (l *lease) end()           {}
