package keeper

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// subreaperHolder holds each tree by a subreaper process of its own; see
// package subreaper. One is always started ahead: a program takes longer to
// start than to start another.
type subreaperHolder struct {
	crew *crew

	mu     sync.Mutex     // guards the rest
	ahead  <-chan *worker // gets the worker, or nil, when it is up; whoever takes the channel owns it
	closed bool
}

func openSubreaper(o Options) (*subreaperHolder, error) {
	w, err := newCrew(o, "")
	if err != nil {
		return nil, err
	}
	return &subreaperHolder{crew: w}, nil
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
	return h.crew.close()
}

// start has a subreaper start the command.
func (h *subreaperHolder) start(c *command) (tree, int, error) {
	var ahead *worker
	if h.crew.fits(c) {
		ahead = h.takeAhead()
	}
	t, pid, err := h.crew.hold(c, ahead)
	if err != nil {
		return nil, 0, err
	}
	h.prepare()
	return t, pid, nil
}

// fits reports whether a worker that was started ahead will do: it was born in
// no namespace and where only the number of its processes is limited.
func (w *crew) fits(c *command) bool {
	return c.sandbox != Sandboxed && (c.limits.Memory == 0 || !w.bounds.memory.works())
}

// hold has a worker start and hold the command: the one that is ahead, or a
// new one if there is none or somebody has killed it.
func (w *crew) hold(c *command, ahead *worker) (tree, int, error) {
	token := newToken()
	c.env = withMark(c.env, token)
	c.told.hold(confine.TreeKill)
	var d bound
	if ahead != nil {
		d = ahead.bound
	} else {
		d = w.bounds.prepare("")
	}
	w.bounds.set(&d, "", c.limits, startPIDs, &c.told)
	k, pid, err := w.held(c, &syscall.SysProcAttr{Setsid: w.group}, d, ahead)
	if err != nil {
		w.bounds.discard(d)
		return nil, 0, err
	}
	w.tighten(&d, c.limits.PIDs, true)
	t := &subreaperTree{worker: k, crew: w, sweep: &sweep{token: token, group: w.group || c.tty, leader: pid, start: startOf(pid)}}
	return t, pid, nil
}

// held engages a worker that stays. It takes the one that is ahead over in any
// case.
func (w *crew) held(c *command, sys *syscall.SysProcAttr, d bound, ahead *worker) (*worker, int, error) {
	err := c.refusal(!w.needed(c))
	var order subreaper.Order
	var more []*os.File
	if err == nil {
		order, more, err = w.order(c, true)
	}
	if err != nil {
		if ahead != nil {
			ahead.end()
		}
		return nil, 0, err
	}
	k, b, err := w.engage(c, order, more, w.birth(c, *sys), d, ahead)
	if err != nil {
		return nil, 0, err
	}
	if b.pid <= 0 { // nobody can tell which process it is
		k.end()
		return nil, 0, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: ErrLost}
	}
	k.bound = d
	return k, b.pid, nil
}

// absDir is the job's directory for a process that may have another one.
func (c *command) absDir() string {
	if dir, err := filepath.Abs(c.dir); err == nil {
		return dir
	}
	return c.dir
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
		d := h.crew.bounds.prepare("")
		w, err := h.crew.launch(&syscall.SysProcAttr{Setsid: h.crew.group}, d)
		if err != nil {
			h.crew.bounds.discard(d)
			w = nil // the next job meets the error itself
		}
		ahead <- w
	}()
}
