package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

const spawnParams = `{"type":"object","properties":{` +
	`"environment":{"type":"string","enum":ENVIRONMENTS},` +
	`"code":{"type":"string","description":"A program for typescript, a shell script for command, an intent for agent."},` +
	`"command":{"type":"object","description":"For command, in place of code: a program without a shell.","properties":{"program":{"type":"string"},"args":{"type":"array","items":{"type":"string"}},"cwd":{"type":"string"},"env":{"type":"object","additionalProperties":{"type":"string"}},"stdin":{"type":"string"}},"required":["program"]},` +
	`"label":{"type":"string"},` +
	`"options":{"type":"object","description":"timeout in ms; for agents also model, maxSteps, tools."}},"required":["environment"]}`

// childID is an id as models write it: a number, or one in quotes.
type childID process.ID

// UnmarshalJSON reads both.
func (c *childID) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || n < 1 {
		return toolError(process.ToolInvalid, "%s is not the id of a process", b)
	}
	*c = childID(n)
	return nil
}

// spawn starts a child. Whether it may is the policy's to say, as for any tool:
// see package tool.
func spawn(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	spec, err := r.cfg.Spec(args)
	if err != nil {
		return "", err
	}
	if _, err := r.host.Call(ctx, builtin, "spawn."+spec.Environment, args); err != nil {
		return "", err
	}
	id, err := r.host.Spawn(ctx, spec)
	if err != nil {
		return "", err
	}
	return encode(map[string]any{"id": id})
}

// maxTail bounds what is shown of a child's output at its end.
const maxTail = 12 << 10

func wait(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	in := struct {
		ID        childID
		TimeoutMS int64
	}{}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	most := r.cfg.ToolTimeout
	if asked := time.Duration(in.TimeoutMS) * time.Millisecond; asked > 0 {
		most = min(most, asked)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, most, errToolTooSlow)
	defer cancel()
	e, err := r.host.Await(waiting, process.ID(in.ID))
	if err != nil && context.Cause(waiting) == errToolTooSlow {
		return encode(map[string]any{"id": in.ID, "state": process.Running, "note": "it has not ended yet; wait again, or read its output"})
	}
	if err != nil {
		return "", err
	}
	return ended(&e)
}

// ended is a child's record, as far as it matters here.
func ended(e *env.Ended) (string, error) {
	p := e.Process
	return encode(struct {
		ID        process.ID        `json:"id"`
		ExitState process.ExitState `json:"exitState"`
		Error     string            `json:"error,omitempty"`
		Exit      *process.Exit     `json:"exit"`
		Output    map[string]any    `json:"output,omitempty"`
		Stdout    string            `json:"stdout"`
		Stderr    string            `json:"stderr"`
	}{p.ID, p.ExitState, p.Error, p.Exit, p.Output, tail(e.Stdout), tail(e.Stderr)})
}

// tail is the end of an output.
func tail(b []byte) string {
	if len(b) <= maxTail {
		return string(b)
	}
	return fmt.Sprintf("[reeve: %d bytes before this are left out: see reeve_read_output]\n%s", len(b)-maxTail, b[len(b)-maxTail:])
}

func signal(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	var in struct {
		ID     childID
		Signal string
	}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	s, err := process.ParseSignal(in.Signal)
	if err != nil {
		return "", err
	}
	return "sent", r.host.Signal(ctx, process.ID(in.ID), s)
}

func readOutput(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	in := struct {
		ID     childID
		Stream process.Stream
		Offset int64
		Limit  int
	}{Stream: process.Stdout, Limit: 16 << 10}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	if in.Stream != process.Stdout && in.Stream != process.Stderr {
		return "", toolError(process.ToolInvalid, "%q is not a stream: want stdout or stderr", in.Stream)
	}
	data, next, over, err := r.host.Read(ctx, process.ID(in.ID), in.Stream, max(0, in.Offset), min(max(1, in.Limit), 48<<10))
	if err != nil {
		return "", err
	}
	return encode(map[string]any{"text": string(data), "next": next, "over": over})
}
