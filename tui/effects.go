package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// effects is what reaches out of the model. Its context is that of the
// dashboard's own life: commands outlive the call that makes them.
type effects struct {
	life   context.Context
	end    context.CancelFunc
	source Source

	mu     sync.Mutex
	closed bool
	under  sync.WaitGroup
}

func newEffects(ctx context.Context, source Source) *effects {
	e := &effects{source: source}
	e.life, e.end = context.WithCancel(ctx)
	return e
}

// do makes a command of f, which must end when its context does.
func (e *effects) do(f func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !e.enter() {
			return nil
		}
		defer e.under.Done()
		return f(e.life)
	}
}

func (e *effects) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.under.Add(1)
	return true
}

// after is a message that comes later.
func (e *effects) after(d time.Duration, msg tea.Msg) tea.Cmd {
	return e.do(func(ctx context.Context) tea.Msg {
		select {
		case <-time.After(d):
			return msg
		case <-ctx.Done():
			return nil
		}
	})
}

// close ends everything that is under way and waits for it.
func (e *effects) close() {
	e.end()
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.under.Wait()
}
