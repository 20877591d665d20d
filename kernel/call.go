package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// Tools is what the kernel needs of a registry of tools. Its methods are called
// by many goroutines.
type Tools interface {
	// Check finds the tool, validates the parameters and says what the policy
	// wants. What makes the call impossible is a *process.ToolError.
	Check(ctx context.Context, c process.ToolCall) (process.Permission, error)
	// Call performs it. What the tool has against it is a *process.ToolError.
	Call(ctx context.Context, c process.ToolCall) (json.RawMessage, error)
}

// Bounds of what a program can put into events and approvals.
const (
	maxToolName  = 128       // of a service or tool, in an event
	maxToolError = 1 << 10   // in an event
	maxAsked     = 256 << 10 // parameters a person is asked about
)

// errToolTimeout is why a call is given up that took longer than it may.
var errToolTimeout = errors.New("the tool took too long")

// call is one tool call of a run.
//
//	tool_called ─▶ Check ─▶ allow ─────────────────────────▶ Call ─▶ tool_returned
//	                 │ ask ─▶ approval_requested ─▶ approved ──▲           ▲
//	                 └ deny, error ───── denied, expired ──────────────────┘
type call struct {
	service, tool string
	began         time.Time
	number        int64         // of the run's calls, from 1
	ask           *ask          // nil: nobody was asked; guarded by proc.mu
	asking        time.Duration // a person took to decide; guarded by proc.mu
}

func (c *call) name() string {
	return shorten(c.service, maxToolName) + "/" + shorten(c.tool, maxToolName)
}

func (c *call) event() process.Payload {
	return process.ToolCalled{Call: c.number, Service: shorten(c.service, maxToolName), Tool: shorten(c.tool, maxToolName)}
}

// returned is the event of the call's end; proc.mu is held.
func (c *call) returned(err error) process.Payload {
	ev := process.ToolReturned{Call: c.number, Service: shorten(c.service, maxToolName), Tool: shorten(c.tool, maxToolName),
		OK: err == nil, DurationMS: max(0, time.Since(c.began)-c.asking).Milliseconds()}
	if te := (*process.ToolError)(nil); errors.As(err, &te) {
		ev.Code, ev.Error = shorten(te.Code, maxToolName), shorten(te.Message, maxToolError)
	}
	return ev
}

// shorten cuts a text for an event, at a character's border.
func shorten(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Call implements env.Host. The work is done by a goroutine of its own: a tool
// that does not heed its context holds nobody up.
func (h *host) Call(ctx context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error) {
	p := h.p
	p.keepPace()
	c := &call{service: service, tool: tool, began: time.Now()}
	e := &errand{call: c}
	ctx, err := p.setOut(ctx, e)
	if err != nil {
		return nil, givenUp(err)
	}
	if e.stored != nil {
		select {
		case <-e.stored:
		case <-ctx.Done():
		}
	}
	type answer struct {
		result json.RawMessage
		err    error
	}
	back := make(chan answer, 1)
	go func() {
		defer p.k.outside.Done()
		result, err := p.perform(ctx, e, params)
		back <- answer{result, err}
	}()
	var a answer
	select {
	case a = <-back:
	case <-ctx.Done():
		a.err = context.Cause(ctx)
	}
	a.err = asToolError(ctx, c, a.err)
	if !p.comeBack(e, a.err) {
		return nil, givenUp(errRunOver)
	}
	return a.result, a.err
}

// perform checks a call, has it approved where the policy says so, and makes
// it.
func (p *proc) perform(ctx context.Context, e *errand, params json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.k.log.Error("tool panicked", "process", p.id, "tool", e.call.name(), "panic", r)
			result, err = nil, toolError(process.ToolFailed, "%s panicked: %v", e.call.name(), r)
		}
	}()
	c, tools := e.call, p.k.cfg.Tools
	switch {
	case tools == nil || len(c.service) > maxToolName || len(c.tool) > maxToolName:
		return nil, toolError(process.ToolNotFound, "there is no tool %s", c.name())
	case len(params) > 0 && !json.Valid(params):
		return nil, toolError(process.ToolInvalid, "the parameters of %s are not JSON", c.name())
	}
	tc := process.ToolCall{Process: p.id, Run: p.rec.Number, Service: c.service, Tool: c.tool,
		Params: params, Allowed: p.rec.Options.Tools} // a run's number and Spec do not change
	permission, err := tools.Check(ctx, tc)
	switch {
	case err != nil:
		return nil, err
	case permission == process.Ask:
		if err := p.haveApproved(ctx, e, tc); err != nil {
			return nil, err
		}
	case permission != process.Allow:
		return nil, toolError(process.ToolDenied, "the policy does not allow %s", c.name())
	}
	if ctx.Err() != nil { // over while it was checked or asked about: nobody wants it done any more
		return nil, context.Cause(ctx)
	}
	if d := p.k.cfg.ToolTimeout; d > 0 {
		late := time.AfterFunc(d, func() { e.cancel(errToolTimeout) })
		defer late.Stop()
	}
	return tools.Call(ctx, tc)
}

// asToolError makes of whatever went wrong what the program is told.
func asToolError(ctx context.Context, c *call, err error) error {
	te := (*process.ToolError)(nil)
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) == errToolTimeout:
		return toolError(process.ToolTimeout, "%s took too long", c.name())
	case errors.As(err, &te):
		return te
	case ctx.Err() != nil:
		return givenUp(context.Cause(ctx))
	}
	return toolError(process.ToolFailed, "%s", err.Error())
}

// givenUp is the error of a call that nobody waits for any more.
func givenUp(cause error) error {
	return toolError(process.ToolCanceled, "the call was given up: %v", cause)
}

func toolError(code, format string, args ...any) *process.ToolError {
	return &process.ToolError{Code: code, Message: fmt.Sprintf(format, args...)}
}
