package keeper

import (
	"os"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// engage has a worker carry out a command's start: one that is ahead, if given
// and still alive, else a new one, born as sys says. The worker then either is
// the program, or holds it. It fails with what the caller gets to see.
func (w *crew) engage(c *command, o subreaper.Order, more []*os.File, sys *syscall.SysProcAttr, d bound, ahead *worker) (*worker, begun, error) {
	file, err := anonymous(o.Encode())
	if err != nil {
		return nil, begun{}, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err}
	}
	defer file.Close()
	k := ahead
	if k == nil || k.give(file, c.files, more) != nil {
		if k != nil {
			k.end()
		}
		if k, err = w.launch(sys, d); err != nil {
			return nil, begun{}, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err}
		}
		if err := k.give(file, c.files, more); err != nil {
			k.end()
			return nil, begun{}, &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err}
		}
	}
	b, step, err := k.hear(file)
	if err = c.settle(b, step, err); err != nil {
		k.end()
		return nil, begun{}, err
	}
	return k, b, nil
}

// birth adds to a tier's own attributes those of a sandbox.
func (w *crew) birth(c *command, sys syscall.SysProcAttr) *syscall.SysProcAttr {
	if c.sandbox != Sandboxed || !w.nest.any() {
		return &sys
	}
	a := w.nest.attr(w.nest.flags)
	a.Setsid, a.UseCgroupFD, a.CgroupFD = sys.Setsid, sys.UseCgroupFD, sys.CgroupFD
	return a
}

// tighten gives a started job's bounds their final size.
func (w *crew) tighten(d *bound, n int, held bool) {
	if n > 0 && held {
		n += holdPIDs
	}
	d.tighten(n)
}

// start starts a command that nobody but its tier holds: directly, or by a
// worker that becomes it.
func (w *crew) start(c *command, sys *syscall.SysProcAttr, d *bound) (*child, error) {
	worker := w.needed(c)
	if err := c.refusal(!worker); err != nil {
		return nil, err
	}
	if !worker {
		return w.fork(c, sys, d)
	}
	order, more, err := w.order(c, false)
	if err != nil {
		return nil, err
	}
	k, _, err := w.engage(c, order, more, w.birth(c, *sys), *d, nil)
	if err != nil {
		return nil, err
	}
	k.ctl.Close()
	w.tighten(d, c.limits.PIDs, false)
	return k.proc, nil
}

// fork starts a command as it is.
func (w *crew) fork(c *command, sys *syscall.SysProcAttr, d *bound) (ch *child, err error) {
	if moved := d.inside(func() { ch, err = forkExec(c, sys) }); moved != nil {
		return nil, &SpawnError{Op: OpConfine, Path: "cgroup", Err: moved}
	}
	if err == nil {
		w.tighten(d, c.limits.PIDs, false)
	}
	return ch, err
}
