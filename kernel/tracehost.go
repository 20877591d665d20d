package kernel

import (
	"context"
	"encoding/json"
	"os"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// tracedHost is the host of a run, whose calls can be traced. Where nobody does,
// each costs one atomic load more.
type tracedHost struct {
	env.Host
	p *proc
}

func (h *tracedHost) Started(pid int, e process.Enforced) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Started", "pid", pid).end(nil)
	}
	h.Host.Started(pid, e)
}

func (h *tracedHost) Exited(e process.Exit) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Exited", "code", e.Code, "signal", e.Signal).end(nil)
	}
	h.Host.Exited(e)
}

func (h *tracedHost) File(s process.Stream) (f *os.File, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("File", "stream", s).end(&err)
	}
	return h.Host.File(s)
}

func (h *tracedHost) Write(s process.Stream, chunk []byte) (err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Write", "stream", s, "bytes", len(chunk)).end(&err)
	}
	return h.Host.Write(s, chunk)
}

func (h *tracedHost) Output(data map[string]any) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Output", "keys", len(data)).end(nil)
	}
	h.Host.Output(data)
}

func (h *tracedHost) Call(ctx context.Context, service, tool string, params json.RawMessage) (result json.RawMessage, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Call", "service", shorten(service, maxToolName), "tool", shorten(tool, maxToolName)).end(&err)
	}
	return h.Host.Call(ctx, service, tool, params)
}

func (h *tracedHost) Spawn(ctx context.Context, s process.Spec) (id process.ID, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		span := ts.begin("Spawn", "environment", s.Environment)
		defer func() { span.end(&err, "child", id) }()
	}
	return h.Host.Spawn(ctx, s)
}

func (h *tracedHost) SpawnWith(ctx context.Context, s process.Spec, payload any) (id process.ID, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		span := ts.begin("Spawn", "environment", s.Environment)
		defer func() { span.end(&err, "child", id) }()
	}
	return h.Host.SpawnWith(ctx, s, payload)
}

func (h *tracedHost) Await(ctx context.Context, child process.ID) (e env.Ended, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Await", "child", child).end(&err)
	}
	return h.Host.Await(ctx, child)
}

func (h *tracedHost) Signal(ctx context.Context, child process.ID, s process.Signal) (err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Signal", "child", child, "signal", s.String()).end(&err)
	}
	return h.Host.Signal(ctx, child, s)
}

func (h *tracedHost) Cancel(ctx context.Context, child process.ID) (err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Cancel", "child", child).end(&err)
	}
	return h.Host.Cancel(ctx, child)
}

func (h *tracedHost) Rerun(ctx context.Context, child process.ID, a env.Again) (run int, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Rerun", "child", child, "restart", a.Restart).end(&err)
	}
	return h.Host.Rerun(ctx, child, a)
}

func (h *tracedHost) Children(ctx context.Context) (all []process.Process, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		span := ts.begin("Children")
		defer func() { span.end(&err, "children", len(all)) }()
	}
	return h.Host.Children(ctx)
}

func (h *tracedHost) Read(ctx context.Context, child process.ID, s process.Stream, offset int64, limit int) (data []byte, next int64, over bool, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		span := ts.begin("Read", "child", child, "stream", s, "offset", offset)
		defer func() { span.end(&err, "bytes", len(data)) }()
	}
	return h.Host.Read(ctx, child, s, offset, limit)
}

func (h *tracedHost) Emit(d process.Payload) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Emit", "kind", process.New(d).Kind).end(nil)
	}
	h.Host.Emit(d)
}

func (h *tracedHost) Spend(ctx context.Context, tokens int64) (err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Spend", "tokens", tokens).end(&err)
	}
	return h.Host.Spend(ctx, tokens)
}

func (h *tracedHost) Remember(ctx context.Context, messages ...process.Message) (err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		defer ts.begin("Remember", "messages", len(messages)).end(&err)
	}
	return h.Host.Remember(ctx, messages...)
}

func (h *tracedHost) Transcript(ctx context.Context) (messages []process.Message, err error) {
	if ts := h.p.tracers.Load(); ts != nil {
		span := ts.begin("Transcript")
		defer func() { span.end(&err, "messages", len(messages)) }()
	}
	return h.Host.Transcript(ctx)
}
