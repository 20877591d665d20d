package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

const (
	maxCalls  = 64       // of one step
	maxResult = 64 << 10 // of one call, as the model sees it
)

var errToolTooSlow = errors.New("the tool took too long")

// callAll makes all calls of a step side by side, and returns their results in
// the order of the calls. What goes wrong is a result, too.
func (r *run) callAll(ctx context.Context, step int, calls []process.MessageCall, o *offers) []process.Message {
	results := make([]process.Message, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		m := &results[i]
		*m = process.Message{Step: step, Role: process.RoleTool, CallID: c.ID, Name: c.Name}
		if i >= maxCalls {
			m.Failed, m.Text = true, fmt.Sprintf("not called: a message may ask for at most %d calls", maxCalls)
			continue
		}
		wg.Go(func() {
			text, err := r.call(ctx, c, o)
			if err != nil {
				m.Failed, text = true, explain(err)
			}
			m.Text = cut(text, maxResult)
		})
	}
	wg.Wait()
	return results
}

// call makes one call.
func (r *run) call(ctx context.Context, c process.MessageCall, o *offers) (string, error) {
	if !model.IsObject(c.Arguments) {
		return "", toolError(process.ToolInvalid, "the arguments are not a JSON object; write them again")
	}
	if own, ok := o.ownTool(c.Name); ok {
		return own.do(ctx, r, c.Arguments)
	}
	t, ok := o.tools[c.Name]
	if !ok {
		return "", toolError(process.ToolNotFound, "there is no tool %s: there are %s", c.Name, o.names())
	}
	return r.callTool(ctx, t, c.Arguments)
}

// callTool calls a service's tool. One that no person decides about is given up
// on after a while; how long people take is the host's to say.
func (r *run) callTool(ctx context.Context, t Tool, args json.RawMessage) (string, error) {
	if !t.Asks {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.cfg.ToolTimeout, errToolTooSlow)
		defer cancel()
	}
	result, err := r.host.Call(ctx, t.Service, t.Name, args)
	if err != nil && context.Cause(ctx) == errToolTooSlow {
		return "", toolError(process.ToolTimeout, "%s/%s did not answer within %s", t.Service, t.Name, r.cfg.ToolTimeout)
	}
	return readable(result), err
}

// readable is a result as text: a string without its quotes.
func readable(result json.RawMessage) string {
	var text string
	if json.Unmarshal(result, &text) == nil && len(result) > 0 && result[0] == '"' {
		return text
	}
	if len(result) == 0 {
		return "null"
	}
	return string(result)
}

// explain puts an error into words for the model.
func explain(err error) string {
	if e := (*process.ToolError)(nil); errors.As(err, &e) && e.Code != "" && !strings.HasPrefix(e.Message, e.Code) {
		return e.Code + ": " + e.Message
	}
	return err.Error()
}

func toolError(code, format string, args ...any) error {
	return &process.ToolError{Code: code, Message: fmt.Sprintf(format, args...)}
}
