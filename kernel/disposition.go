package kernel

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/process"
)

// dispositions say what becomes of a run's signals, by seed 003: a blocked one
// waits in the pending set; else one that has a handler is handled; else the
// default is done. Which of them it is, is decided under one hold of proc.mu.
// A run that never said anything about its signals has none of this.
type dispositions struct {
	blocked, pending sigset
	handlers         [process.SIGRESUME + 1]func(process.Signal)
	queue            []handling // for the handlers, in order
	handling         bool       // a goroutine is at it
}

// sigset is a set of signals.
type sigset uint8

func (s sigset) has(sig process.Signal) bool { return s&(1<<sig) != 0 }
func (s *sigset) add(sig process.Signal)     { *s |= 1 << sig }
func (s *sigset) remove(sig process.Signal)  { *s &^= 1 << sig }

// SigBlock has a signal of a process wait, from now on and for this run, until
// SigUnblock. However many of its kind come, one is pending. Blocking a blocked
// signal changes nothing. SIGKILL cannot be blocked: process.ErrInvalid. A
// process that is idle is process.ErrNotRunning.
func (k *Kernel) SigBlock(ctx context.Context, id process.ID, s process.Signal) error {
	return k.dispose(ctx, "SigBlock", id, s, func(p *proc) error { return p.block(s) })
}

// SigUnblock lets a signal through again, and delivers one that is pending.
func (k *Kernel) SigUnblock(ctx context.Context, id process.ID, s process.Signal) error {
	return k.dispose(ctx, "SigUnblock", id, s, func(p *proc) error { return p.unblock(ctx, s, false) })
}

// SigHandle has f called with a signal instead of what it does by default, for
// this run; nil is the default again. Handlers of a process are called one at a
// time, in order, under no lock, and not after its end; one that panics is told
// of in the process's events. SIGKILL cannot be handled: process.ErrInvalid.
func (k *Kernel) SigHandle(ctx context.Context, id process.ID, s process.Signal, f func(process.Signal)) error {
	return k.dispose(ctx, "SigHandle", id, s, func(p *proc) error { return p.handle(s, f) })
}

// Block implements env.Host.
func (h *host) Block(s process.Signal) error { return h.p.block(s) }

// Handle implements env.Host.
func (h *host) Handle(s process.Signal, f func(process.Signal)) error { return h.p.handle(s, f) }

// Unblock implements env.Host.
func (h *host) Unblock(s process.Signal) error { return h.p.unblock(context.Background(), s, true) }

// dispose finds a run and does something about one of its signals.
func (k *Kernel) dispose(ctx context.Context, call string, id process.ID, s process.Signal, do func(*proc) error) error {
	p, err := k.running(ctx, id)
	if err == nil {
		err = do(p)
	}
	return answered(ctx, call, id, err)
}

// running finds a run in the table. An idle process is process.ErrNotRunning.
func (k *Kernel) running(ctx context.Context, id process.ID) (*proc, error) {
	p := k.table.get(id)
	if p != nil {
		return p, nil
	}
	if _, err := k.cfg.Store.Process(ctx, id); err != nil {
		return nil, err
	}
	return nil, notRunning(id, "is idle")
}

// choosable returns nil for a signal that a process can decide about.
func choosable(s process.Signal, what string) error {
	switch {
	case !s.Valid():
		return badSignal(s)
	case s == process.SIGKILL:
		return process.Invalid("signal", "SIGKILL cannot be %s", what)
	}
	return nil
}

func badSignal(s process.Signal) error {
	return process.Invalid("signal", "%d is not a signal: want TERM, KILL, INT, PAUSE or RESUME", int(s))
}

// own returns the run's dispositions, to be changed; p.mu is held.
func (p *proc) own() (*dispositions, error) {
	if p.isOver() {
		return nil, notRunning(p.id, "has ended")
	}
	if p.sig == nil {
		p.sig = &dispositions{}
	}
	return p.sig, nil
}

func (p *proc) block(s process.Signal) (err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("SigBlock", "signal", s.String()).end(&err)
	}
	if err := choosable(s, "blocked"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.own()
	if err == nil {
		d.blocked.add(s)
	}
	return err
}

func (p *proc) handle(s process.Signal, f func(process.Signal)) (err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("SigHandle", "signal", s.String(), "default", f == nil).end(&err)
	}
	if err := choosable(s, "handled"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.own()
	if err == nil {
		d.handlers[s] = f
	}
	return err
}

// unblock lets a signal through. A pause that is pending may have to wait for
// the run: if it is the run that unblocks, it does not wait for the pause.
func (p *proc) unblock(ctx context.Context, s process.Signal, byRun bool) (err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("SigUnblock", "signal", s.String()).end(&err)
	}
	if err := choosable(s, "blocked"); err != nil {
		return err
	}
	p.mu.Lock()
	d, err := p.own()
	if err != nil || !d.blocked.has(s) {
		p.mu.Unlock()
		return err
	}
	d.blocked.remove(s)
	if !d.pending.has(s) {
		p.mu.Unlock()
		return nil
	}
	d.pending.remove(s)
	if byRun && s == process.SIGPAUSE && d.handlers[s] == nil {
		p.k.outside.Add(1) // under the lock, before the run can be over
		p.mu.Unlock()
		go p.pauseLater()
		return nil
	}
	_, _, err = p.take(ctx, s, SignalOptions{})
	return err
}

// pauseLater pauses the run by itself; Close waits for it.
func (p *proc) pauseLater() {
	defer p.k.outside.Done()
	if _, err := p.pause(context.Background(), false); err != nil && !errors.Is(err, process.ErrNotRunning) {
		p.note(process.WarningDetected{Code: "reeve.pause_refused", Message: shorten(err.Error(), maxToolError)})
	}
}

// intercept does what the run itself has decided about a signal, and returns
// the action; it is empty if the default is to be done. changed is false for one
// that is pending already. p.mu is held.
func (p *proc) intercept(s process.Signal) (action string, changed bool) {
	d := p.sig
	switch {
	case d == nil || s == process.SIGKILL:
		return "", false
	case d.blocked.has(s):
		changed = !d.pending.has(s)
		d.pending.add(s)
		return process.ActionPending, changed
	case d.handlers[s] != nil:
		p.enqueue(s)
		return process.ActionHandler, true
	}
	return "", false
}
