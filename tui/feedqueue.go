package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

// mark notes that a process has changed.
func (f *feed) mark(ev *process.Event) {
	f.mu.Lock()
	if ev.Process != 0 {
		f.dirty[ev.Process] = true
	}
	switch ev.Kind {
	case process.KindApprovalRequested, process.KindApprovalDecided, process.KindFinalized:
		f.approvals = true
	}
	f.mu.Unlock()
	f.rouse()
}

func (f *feed) push(msg tea.Msg) {
	f.mu.Lock()
	f.queue = append(f.queue, msg)
	f.mu.Unlock()
	f.rouse()
}

func (f *feed) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// next waits for the next message; nil: ctx is over.
func (f *feed) next(ctx context.Context) tea.Msg {
	for {
		msg, wait := f.take(time.Now())
		if msg != nil {
			return msg
		}
		var later <-chan time.Time
		if wait > 0 {
			later = time.After(wait)
		}
		select {
		case <-f.wake:
		case <-later:
		case <-ctx.Done():
			return nil
		}
	}
}

// take returns what there is; else how long to wait for what may not be told
// yet, if there is such.
func (f *feed) take(now time.Time) (tea.Msg, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) > 0 {
		msg := f.queue[0]
		f.queue = f.queue[1:]
		return msg, 0
	}
	if len(f.dirty) == 0 && !f.approvals {
		return nil, 0
	}
	if wait := pause - now.Sub(f.told); wait > 0 {
		return nil, wait
	}
	msg := changesMsg{approvals: f.approvals}
	for id := range f.dirty {
		msg.ids = append(msg.ids, id)
	}
	clear(f.dirty)
	f.approvals, f.told = false, now
	return msg, 0
}
