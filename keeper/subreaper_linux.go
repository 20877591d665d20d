package keeper

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// subreaperHolder holds each tree by a subreaper process of its own; see
// package subreaper. One is always started ahead: a program takes longer to
// start than to start another.
type subreaperHolder struct {
	null     *os.File
	group    bool
	starting sync.WaitGroup

	mu     sync.Mutex // guards the rest
	ahead  *worker
	closed bool
}

// worker is a subreaper process and the host's end of its connection.
type worker struct {
	ctl  *os.File
	proc *child
}

// end dismisses a worker that has no job.
func (w *worker) end() {
	w.ctl.Close()
	_, _ = w.proc.wait()
	w.proc.close()
}

func openSubreaper(o Options) (*subreaperHolder, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &subreaperHolder{null: null, group: !o.NoGroup}, nil
}

func (h *subreaperHolder) close() error {
	h.mu.Lock()
	w := h.ahead
	h.ahead, h.closed = nil, true
	h.mu.Unlock()
	h.starting.Wait()
	if w != nil {
		w.end()
	}
	return h.null.Close()
}

// start has a subreaper start the command.
func (h *subreaperHolder) start(c *command) (tree, int, error) {
	token := newToken()
	order := subreaper.Order{Path: c.path, Argv: c.argv, Env: withMark(c.env, token), Dir: c.absDir(), Session: h.group}
	w, err := h.engage(c, order)
	if err != nil {
		return nil, 0, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err}
	}
	t := &subreaperTree{worker: w, sweep: &sweep{token: token, group: h.group}}
	m, err := t.receive()
	switch {
	case err == nil && m.Kind == subreaper.Started:
		t.sweep.leader = int(m.Value)
		t.sweep.start = startOf(int(m.Value))
		h.prepare()
		return t, int(m.Value), nil
	case err == nil && m.Kind == subreaper.Failed:
		err = c.explain(syscall.Errno(m.Value))
	default:
		err = &SpawnError{Op: OpHold, Path: subreaper.Name, Err: ErrLost}
	}
	w.end()
	return nil, 0, err
}

// absDir is the job's directory for a process that may have another one.
func (c *command) absDir() string {
	if dir, err := filepath.Abs(c.dir); err == nil {
		return dir
	}
	return c.dir
}

// engage gives an order to the worker that was started ahead, or to a new one
// if there is none or somebody has killed it.
func (h *subreaperHolder) engage(c *command, o subreaper.Order) (*worker, error) {
	file, err := memoryFile(o.Encode())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h.mu.Lock()
	w := h.ahead
	h.ahead = nil
	h.mu.Unlock()
	if w != nil {
		if w.give(file, c.files) == nil {
			return w, nil
		}
		w.end()
	}
	if w, err = h.launch(); err != nil {
		return nil, err
	}
	if err := w.give(file, c.files); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// give sends an order and the job's files.
func (w *worker) give(order *os.File, files [3]*os.File) error {
	fds := []int{int(order.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd())) // Fd also makes it blocking, as a child expects
	}
	rc, err := w.ctl.SyscallConn()
	if err != nil {
		return err
	}
	var bad error
	err = rc.Control(func(fd uintptr) {
		bad = unix.Sendmsg(int(fd), subreaper.Message{Kind: subreaper.Start}.Encode(), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
	})
	return errors.Join(err, bad)
}

// prepare starts a worker for the next job, off the way of this one.
func (h *subreaperHolder) prepare() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.ahead != nil {
		return
	}
	h.starting.Go(func() {
		w, err := h.launch()
		if err != nil {
			return // the next job meets the error itself
		}
		h.mu.Lock()
		spare := h.closed || h.ahead != nil
		if !spare {
			h.ahead = w
		}
		h.mu.Unlock()
		if spare {
			w.end()
		}
	})
}

// launch starts a worker.
func (h *subreaperHolder) launch() (*worker, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	w := &worker{ctl: os.NewFile(uintptr(pair[0]), "control")}
	w.proc, err = forkExec(&command{
		path: subreaper.Self, argv: []string{subreaper.Name},
		env:   []string{subreaper.Proof, "GOMAXPROCS=1", "GOTRACEBACK=none"},
		files: [3]*os.File{h.null, h.null, h.null},
	}, &syscall.SysProcAttr{Setsid: h.group}, theirs)
	if err != nil {
		w.ctl.Close()
		return nil, errors.Unwrap(err)
	}
	return w, nil
}

// memoryFile returns an anonymous file with a content.
func memoryFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("reeve-order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "order")
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
