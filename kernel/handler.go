package kernel

import (
	"fmt"

	"github.com/reeverun/reeve/process"
)

// handling is a signal that is to be handled.
type handling struct {
	signal process.Signal
	handle func(process.Signal)
}

// maxHandlings bounds the signals that wait for a run's handlers. Beyond it
// those of one kind count as one, as blocked ones do.
const maxHandlings = 1024

// enqueue has a signal handled; p.mu is held.
func (p *proc) enqueue(s process.Signal) {
	d := p.sig
	if len(d.queue) >= maxHandlings {
		for _, h := range d.queue {
			if h.signal == s {
				return
			}
		}
	}
	d.queue = append(d.queue, handling{s, d.handlers[s]})
	if !d.handling {
		d.handling = true
		p.k.outside.Add(1) // under the lock, before the run can be over
		go p.runHandlers(d)
	}
}

// runHandlers calls handlers until there is nothing left to handle. Close waits
// for it, as it does for tools.
func (p *proc) runHandlers(d *dispositions) {
	defer func() { // also when a handler left by Goexit
		p.mu.Lock()
		defer p.mu.Unlock()
		if d.handling = len(d.queue) > 0; d.handling {
			go p.runHandlers(d)
			return
		}
		p.k.outside.Done()
	}()
	for {
		h, ok := p.nextHandling(d)
		if !ok {
			return
		}
		p.callHandler(h)
	}
}

func (p *proc) nextHandling(d *dispositions) (h handling, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOver() {
		d.queue = nil
	}
	if len(d.queue) == 0 {
		return h, false
	}
	h = d.queue[0]
	d.queue = d.queue[1:]
	return h, true
}

func (p *proc) callHandler(h handling) {
	defer func() {
		if r := recover(); r != nil {
			p.k.log.Error("signal handler panicked", "process", p.id, "signal", h.signal.String(), "panic", r)
			p.note(process.WarningDetected{Code: "reeve.handler_panicked",
				Message: shorten(fmt.Sprintf("the handler of %s panicked: %v", h.signal, r), maxToolError)})
		}
	}()
	h.handle(h.signal)
}
