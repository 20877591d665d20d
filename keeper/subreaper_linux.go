package keeper

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// subreaperHolder holds each tree by a subreaper process of its own; see
// package subreaper. One is always started ahead: a program takes longer to
// start than to start another.
type subreaperHolder struct {
	null  *os.File
	group bool

	mu     sync.Mutex     // guards the rest
	ahead  <-chan *worker // gets the worker, or nil, when it is up; whoever takes the channel owns it
	closed bool
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
	ahead := h.ahead
	h.ahead, h.closed = nil, true
	h.mu.Unlock()
	if ahead != nil {
		if w := <-ahead; w != nil {
			w.end()
		}
	}
	return h.null.Close()
}

// start has a subreaper start the command.
func (h *subreaperHolder) start(c *command) (tree, int, error) {
	token := newToken()
	order := subreaper.Order{Path: c.path, Argv: c.argv, Env: withMark(c.env, token), Dir: c.absDir(), Session: h.group || c.tty, TTY: c.tty}
	w, err := h.engage(c, order)
	if err != nil {
		return nil, 0, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err}
	}
	t := &subreaperTree{worker: w, sweep: &sweep{token: token, group: h.group || c.tty}}
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
	if w := h.takeAhead(); w != nil {
		if w.give(file, c.files) == nil {
			return w, nil
		}
		w.end()
	}
	w, err := h.launch()
	if err != nil {
		return nil, err
	}
	if err := w.give(file, c.files); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// takeAhead returns the worker that was started ahead, or nil.
func (h *subreaperHolder) takeAhead() *worker {
	h.mu.Lock()
	ahead := h.ahead
	h.ahead = nil
	h.mu.Unlock()
	if ahead == nil {
		return nil
	}
	return <-ahead
}

// prepare starts a worker for the next job, off the way of this one.
func (h *subreaperHolder) prepare() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.ahead != nil {
		return
	}
	ahead := make(chan *worker, 1)
	h.ahead = ahead
	go func() {
		w, err := h.launch()
		if err != nil {
			w = nil // the next job meets the error itself
		}
		ahead <- w
	}()
}
