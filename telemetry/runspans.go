package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/reeverun/reeve/process"
)

// rememberRuns is how many finished runs can still be linked to the request
// that waited for them.
const rememberRuns = 1024

// runSpans makes a span for each run, from the moment it was queued (as far as
// that was told) to its end.
type runSpans struct {
	tracer trace.Tracer

	mu     sync.Mutex
	open   map[process.ID]trace.Span
	ended  map[process.ID]endedRun
	oldest []process.ID // the keys of ended, in their order
}

// endedRun is what a request that waited for the run is linked with.
type endedRun struct {
	trace.SpanContext
	at time.Time // when it was told, on this program's clock
}

func newRunSpans(t trace.Tracer) *runSpans {
	return &runSpans{tracer: t, open: map[process.ID]trace.Span{}, ended: map[process.ID]endedRun{}}
}

// created opens the span of a first run that is queued at once.
func (r *runSpans) created(ctx context.Context, p *process.Process) {
	if p.State == process.Idle && p.Number == 0 { // parked; its runs will come
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(ctx, p, p.CreatedAt)
}

func (r *runSpans) started(p *process.Process) {
	if p.Outcome != nil { // told late: its end was told already, or will be next
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	span := r.open[p.ID]
	if span == nil { // a re-run, or one an earlier daemon accepted
		span = r.begin(context.Background(), p, p.StartedAt)
	}
	span.AddEvent("started", trace.WithTimestamp(p.StartedAt))
}

func (r *runSpans) finished(p *process.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	span := r.open[p.ID]
	if span == nil {
		begin := p.StartedAt
		if begin.IsZero() {
			begin = p.CompletedAt
		}
		span = r.begin(context.Background(), p, begin)
	}
	delete(r.open, p.ID)
	r.remember(p.ID, span.SpanContext())
	describeEnd(span, p)
	span.End(trace.WithTimestamp(p.CompletedAt))
}

// begin is called with the lock held.
func (r *runSpans) begin(ctx context.Context, p *process.Process, at time.Time) trace.Span {
	_, span := r.tracer.Start(ctx, "run "+p.Environment, trace.WithTimestamp(at), trace.WithAttributes(
		attribute.Int64("reeve.process.id", int64(p.ID)),
		attribute.String("reeve.environment", p.Environment),
	))
	r.open[p.ID] = span
	return span
}

func (r *runSpans) remember(id process.ID, sc trace.SpanContext) {
	if _, again := r.ended[id]; !again {
		r.oldest = append(r.oldest, id)
	}
	r.ended[id] = endedRun{sc, time.Now()}
	if len(r.oldest) > rememberRuns {
		delete(r.ended, r.oldest[0])
		r.oldest = r.oldest[1:]
	}
}

// join links the span of a request that began at a time with that of the run it
// asked for or acted on, both ways while the run is open. A run that ended
// before the request began is not the one meant, and a child needs no link.
func (r *runSpans) join(request trace.Span, begin time.Time, id process.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked, run := request.SpanContext(), trace.SpanContext{}
	span := r.open[id]
	if span != nil {
		run = span.SpanContext()
	} else if e := r.ended[id]; e.at.After(begin) {
		run = e.SpanContext
	}
	if !run.IsValid() || run.TraceID() == asked.TraceID() {
		return
	}
	request.AddLink(trace.Link{SpanContext: run})
	if span != nil {
		span.AddLink(trace.Link{SpanContext: asked})
	}
}

// drop forgets runs that outlive the daemon; their spans are never sent, as
// their end is not known.
func (r *runSpans) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.open)
}

func describeEnd(span trace.Span, p *process.Process) {
	span.SetAttributes(attribute.Int("reeve.run", p.Number),
		attribute.String("reeve.exit_state", string(p.ExitState)),
		attribute.Int64("reeve.usage.wall_ms", p.Usage.WallMS), attribute.Int64("reeve.usage.cpu_ms", p.Usage.CPUMS))
	if p.Exit != nil {
		span.SetAttributes(attribute.Int("reeve.exit_code", p.Exit.Code))
	}
	if p.Outcome != nil {
		span.SetAttributes(attribute.String("reeve.outcome", string(p.Outcome.Kind)))
	}
	if p.ExitState == process.ExitFailed || p.ExitState == process.ExitTimeout {
		span.SetStatus(codes.Error, whyFailed(p))
	}
}

// whyFailed is the reason by its kind. A program's own words may be anything,
// so they stay in the record.
func whyFailed(p *process.Process) string {
	if p.Outcome == nil || p.Outcome.Reason == nil {
		return string(p.ExitState)
	}
	switch why := p.Outcome.Reason; why.Kind {
	case process.FailSignal, process.FailExitCode:
		return why.String()
	case process.FailKnownError:
		return cmp.Or(why.Code, string(why.Kind))
	default:
		return string(why.Kind)
	}
}

// processOf says which process a request was about: the one it made, or the
// one its path names.
func processOf(r *http.Request, answer http.Header) (process.ID, bool) {
	name := r.PathValue("id")
	if at := answer.Get("Location"); at != "" {
		name = path.Base(at)
	}
	id, err := process.ParseID(name)
	return id, err == nil
}
