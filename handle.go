package reeve

import (
	"context"
	"iter"
)

// Handle is a spawned process.
type Handle struct {
	rt *Runtime
	id ID
}

// ID names the process.
func (h *Handle) ID() ID { return h.id }

// Wait returns the outcome when there is one.
func (h *Handle) Wait(ctx context.Context) (Outcome, error) { return h.rt.Wait(ctx, h.id) }

// Cancel asks the process to end; a finished one is nil.
func (h *Handle) Cancel() error { return h.rt.Cancel(h.id) }

// Process returns the record.
func (h *Handle) Process(ctx context.Context) (*Process, error) { return h.rt.Process(ctx, h.id) }

// Events yields the process's events from process_created on, to the end of
// its run, until ctx is over or the loop is left.
func (h *Handle) Events(ctx context.Context) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		sub, err := h.rt.SubscribeProcess(ctx, h.id, 0)
		if err != nil {
			return
		}
		sub.All(ctx)(yield)
	}
}
