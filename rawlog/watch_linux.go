package rawlog

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// watcher is the one inotify instance of a Logs. Watches are one-shot: an event
// removes its watch, so that a busy writer costs one event per Arm. The
// instance sits in Go's poller; its goroutine starts with the first watch.
type watcher struct {
	mu      sync.Mutex
	fd      int
	f       *os.File          // nil until the first watch
	err     error             // why there is no instance
	watches map[int32]*stream // by watch descriptor; stream.wd is the inverse
	done    chan struct{}
}

// add arms st's watch. It holds the lock over the call, so that dispatch cannot
// see an event whose watch is not entered yet.
func (w *watcher) add(st *stream, path string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if st.wd != 0 {
		return nil // still armed, or its event is on the way
	}
	if err := w.start(); err != nil {
		return err
	}
	wd, err := unix.InotifyAddWatch(w.fd, path, unix.IN_MODIFY|unix.IN_ONESHOT)
	if err != nil {
		return os.NewSyscallError("inotify_add_watch", err)
	}
	st.wd = int32(wd)
	w.watches[st.wd] = st
	return nil
}

func (w *watcher) start() error {
	if w.f != nil || w.err != nil {
		return w.err
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		w.err = os.NewSyscallError("inotify_init1", err)
		return w.err
	}
	w.fd, w.f = fd, os.NewFile(uintptr(fd), "inotify")
	w.watches, w.done = map[int32]*stream{}, make(chan struct{})
	go w.run(w.f)
	return nil
}

func (w *watcher) run(f *os.File) {
	defer close(w.done)
	buf := make([]byte, 16<<10)
	for {
		n, err := f.Read(buf)
		if err != nil {
			return
		}
		w.dispatch(buf[:n])
	}
}

// dispatch wakes the logs of a batch of events. Whatever ends a watch wakes its
// log: a needless wake is harmless, a missing one is not.
func (w *watcher) dispatch(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(b) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(b))
		mask := binary.NativeEndian.Uint32(b[4:])
		b = b[min(len(b), unix.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(b[12:]))):]
		if mask&unix.IN_Q_OVERFLOW != 0 {
			w.fireAll()
			continue
		}
		if st := w.watches[wd]; st != nil {
			w.fire(st)
		}
	}
}

func (w *watcher) fire(st *stream) {
	delete(w.watches, st.wd)
	st.wd = 0
	st.log.signal()
}

// fireAll serves lost events: any watch may have been the one.
func (w *watcher) fireAll() {
	for wd, st := range w.watches {
		_, _ = unix.InotifyRmWatch(w.fd, uint32(wd))
		w.fire(st)
	}
}

// remove disarms st.
func (w *watcher) remove(st *stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if st.wd == 0 {
		return
	}
	delete(w.watches, st.wd)
	if w.f != nil {
		// It fails where the event has removed the watch already.
		_, _ = unix.InotifyRmWatch(w.fd, uint32(st.wd))
	}
	st.wd = 0
}

// close ends the goroutine and waits for it.
func (w *watcher) close() {
	w.mu.Lock()
	f, done := w.f, w.done
	w.f, w.err = nil, errors.New("watcher is closed")
	w.mu.Unlock()
	if f != nil {
		_ = f.Close()
		<-done
	}
}
