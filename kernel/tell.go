package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// Emit implements env.Host.
func (h *host) Emit(d process.Payload) {
	p := h.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved {
		return
	}
	switch d := d.(type) {
	case process.StepStarted, process.StepFinished, process.WarningDetected, process.SummarySet:
		p.append(&entry{lazy: p.unwatched()}, false, d)
	case process.LabelUpdated:
		p.append(&entry{lazy: p.unwatched()}, false, d)
	case process.ProgressUpdated:
		p.rec.Progress = d.Progress
		p.append(&entry{lazy: p.unwatched()}, true, d)
	}
}

// Spend implements env.Host.
func (h *host) Spend(_ context.Context, tokens int64) error {
	p := h.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.resolved {
		p.rec.Usage.Tokens += max(0, tokens)
	}
	return nil
}
