package telemetry

import (
	"context"
	"time"

	"github.com/reeverun/reeve/process"
)

// Created tells that a process exists.
func (t *T) Created(p *process.Process) { t.CreatedIn(context.Background(), p) }

// CreatedIn is Created with the context it was asked for in: where that belongs
// to a request with a span, the run's span becomes its child. Without it the
// two are linked when the request is answered.
func (t *T) CreatedIn(ctx context.Context, p *process.Process) {
	t.metrics.created.WithLabelValues(p.Environment).Inc()
	if t.tracing != nil {
		t.tracing.runs.created(ctx, p)
	}
}

// Started tells that a run executes.
func (t *T) Started(p *process.Process) {
	t.metrics.started.WithLabelValues(p.Environment).Inc()
	if t.tracing != nil {
		t.tracing.runs.started(p)
	}
}

// Stalled tells that nothing was heard of a run for longer than its heartbeat.
func (t *T) Stalled(p *process.Process) {
	t.metrics.stalled.WithLabelValues(p.Environment).Inc()
}

// Finished tells that a run is over.
func (t *T) Finished(p *process.Process) {
	t.metrics.finished.WithLabelValues(p.Environment, string(p.ExitState)).Inc()
	if !p.StartedAt.IsZero() { // one killed in the queue took no time
		wall := time.Duration(p.Usage.WallMS) * time.Millisecond
		t.metrics.duration.WithLabelValues(p.Environment).Observe(wall.Seconds())
	}
	if t.tracing != nil {
		t.tracing.runs.finished(p)
	}
}
