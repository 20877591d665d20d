package typescript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// request is the payload of engine.TypeCall.
type request struct {
	ID      int64           `json:"id"`
	Op      string          `json:"op"`
	Service string          `json:"service"`
	Tool    string          `json:"tool"`
	Params  json.RawMessage `json:"params"`
	Request json.RawMessage `json:"request"`
	Process process.ID      `json:"process"`
	Signal  string          `json:"signal"`
}

// callError is the error in an engine.TypeResult.
type callError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// call carries a request out beside everything else the program does.
func (r *run) call(payload []byte) error {
	var q request
	if err := decode(payload, &q); err != nil {
		return err
	}
	size := int64(len(payload))
	r.made++
	switch {
	case r.made > maxMade:
		return fmt.Errorf("too many calls: more than %d in one run", maxMade)
	case r.waiting.Add(1) > maxCalls:
		return fmt.Errorf("too many calls: more than %d wait for an answer", maxCalls)
	case r.held.Add(size) > r.env.onTheWay:
		return fmt.Errorf("too many calls: those that wait for an answer have more than %d MiB of parameters", r.env.onTheWay>>20)
	}
	r.calls.Go(func() {
		defer r.waiting.Add(-1)
		defer r.held.Add(-size)
		select {
		case r.atOnce <- struct{}{}:
			defer func() { <-r.atOnce }()
		case <-r.work.Done():
			return
		}
		value, err := r.perform(r.work, &q)
		if r.work.Err() == nil {
			r.answer(q.ID, value, err)
		}
	})
	return nil
}

func (r *run) answer(id int64, value json.RawMessage, err error) {
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	const envelope = 64
	switch {
	case err != nil:
	case len(value)+envelope > engine.MaxFrame:
		err = &process.ToolError{Code: process.ToolFailed, Message: fmt.Sprintf("the result is larger than %d MiB", engine.MaxFrame>>20)}
	case !json.Valid(value):
		err = &process.ToolError{Code: process.ToolFailed, Message: "the result is not JSON"}
	}
	if !r.out.post(engine.TypeResult, result(id, value, err)) {
		r.fail(fmt.Errorf("the program does not read the results of its calls: more than %d MiB wait for it", r.env.onTheWay>>20))
	}
}

// result is the payload of an engine.TypeResult. A value is not parsed again.
func result(id int64, value json.RawMessage, err error) []byte {
	if err != nil {
		b, _ := json.Marshal(explain(err)) // two strings: it cannot fail
		return fmt.Appendf(nil, `{"id":%d,"ok":false,"error":%s}`, id, b)
	}
	return append(append(fmt.Appendf(nil, `{"id":%d,"ok":true,"value":`, id), value...), '}')
}

// explain puts an error into words for the program.
func explain(err error) *callError {
	if e := (*process.ToolError)(nil); errors.As(err, &e) {
		return &callError{Message: e.Message, Code: e.Code}
	}
	if e := (*process.Error)(nil); errors.As(err, &e) {
		return &callError{Message: e.Error(), Code: string(e.Code)}
	}
	return &callError{Message: err.Error(), Code: process.ToolFailed}
}

// perform does what the program asked for.
func (r *run) perform(ctx context.Context, q *request) (json.RawMessage, error) {
	switch q.Op {
	case "tool":
		return r.host.Call(ctx, q.Service, q.Tool, q.Params)
	case "spawn":
		return r.spawn(ctx, q.Request)
	case "wait":
		return r.await(ctx, q.Process)
	case "signal":
		s, err := process.ParseSignal(q.Signal)
		if err != nil {
			return nil, err
		}
		return nil, r.host.Signal(ctx, q.Process, s)
	}
	return nil, &process.ToolError{Code: process.ToolInvalid, Message: fmt.Sprintf("there is no operation %q", q.Op)}
}

// spawn starts a child process. Whether it may is the policy's to say, as for
// any tool: starting a child in an environment is the tool
// reeve/spawn.ENVIRONMENT, whose result is what was asked for.
func (r *run) spawn(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	if r.env.cfg.Spec == nil {
		return nil, &process.ToolError{Code: process.ToolUnavailable, Message: "programs cannot start processes here"}
	}
	spec, err := r.env.cfg.Spec(body)
	if err != nil {
		return nil, err
	}
	if _, err := r.host.Call(ctx, "reeve", "spawn."+spec.Environment, body); err != nil {
		return nil, err
	}
	id, err := r.host.Spawn(ctx, spec)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"id": id})
}

// await waits for a child and tells its record.
func (r *run) await(ctx context.Context, id process.ID) (json.RawMessage, error) {
	e, err := r.host.Await(ctx, id)
	if err != nil {
		return nil, err
	}
	rec := e.Process.Record()
	stdout, stderr := string(e.Stdout), string(e.Stderr)
	rec.Stdout, rec.Stderr = &stdout, &stderr
	return json.Marshal(rec)
}
