package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// Emit implements env.Host.
func (h *host) Emit(d process.Payload) {
	p := h.p
	p.hear()
	p.keepPace()
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
	p.hear()
	tokens = max(0, tokens)
	if p.reattached {
		p.findSeries()
	}
	p.mu.Lock()
	if p.resolved {
		p.mu.Unlock()
		return nil
	}
	if tokens > 0 {
		p.rec.Usage.Tokens = plus(p.rec.Usage.Tokens, tokens)
		p.noteTokens()
		p.append(&entry{lazy: true}, true)
	}
	p.mu.Unlock()
	return p.k.charge(p, tokens, 0)
}
