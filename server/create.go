package server

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// maxKey bounds an idempotency key.
const maxKey = 255

func (q *request) create() error {
	var body api.Create
	raw, err := q.decode(&body)
	if err != nil {
		return err
	}
	return q.spawn(&body, raw)
}

// spawn creates what a body asks for and answers.
func (q *request) spawn(body *api.Create, raw []byte) error {
	spec, err := q.s.spec(body)
	if err != nil {
		return err
	}
	task := reeve.FromSpec(spec)
	autorun := body.Autorun == nil || *body.Autorun
	if !autorun {
		task.Parked()
	}
	h, status, err := q.spawnOnce(task, raw)
	if err != nil {
		return err
	}
	id := h.ID()
	q.s.log.Debug("process created", "process", int64(id), "environment", spec.Environment)
	q.w.Header().Set("Location", q.location(id))
	if body.Block && autorun {
		return q.answerWhenIdle(status, id)
	}
	return q.answerCreated(status, id)
}

// spawnOnce creates a process, or finds the one that a request with the same
// Idempotency-Key created.
func (q *request) spawnOnce(task *reeve.Task, raw []byte) (*reeve.Handle, int, error) {
	key, given := q.r.Header["Idempotency-Key"]
	if !given {
		h, err := q.s.rt.Spawn(q.r.Context(), task)
		return h, http.StatusCreated, err
	}
	name := strings.TrimSpace(key[0])
	if name == "" || len(name) > maxKey {
		return nil, 0, process.Invalid("Idempotency-Key", "has %d characters: want 1 to %d", len(name), maxKey)
	}
	h, created, err := q.s.rt.SpawnOnce(q.r.Context(), task.Key(name, q.s.rt.Digest(raw)))
	if err == nil && !created {
		return h, http.StatusOK, nil
	}
	return h, http.StatusCreated, err
}

// location is the address of a process.
func (q *request) location(id process.ID) string {
	if q.route.mci {
		return "/mci/processes/" + id.String()
	}
	return "/processes/" + id.String()
}

// spec makes a Spec of a body.
func (s *Server) spec(b *api.Create) (process.Spec, error) {
	spec := process.Spec{Environment: s.cfg.Environment, Label: b.Label, Tags: b.Tags, Parent: process.ID(b.Parent),
		Interpreter: b.Interpreter, Priority: b.Priority, RawOutput: process.RawOutput(b.RawOutput)}
	if b.Environment != "" {
		spec.Environment = b.Environment
	}
	if spec.Environment == process.EnvFunction { // Go functions, for embedded use
		return spec, process.Errorf(process.CodeNoEnvironment, "the environment %q is not available", spec.Environment)
	}
	if b.Ref != nil {
		if spec.Ref = strings.TrimSpace(*b.Ref); spec.Ref == "" {
			return spec, process.Invalid("ref", "is empty: leave it out or name the process")
		}
	}
	if err := what(&spec, b); err != nil {
		return spec, err
	}
	if b.Options != nil {
		return spec, s.options(&spec, b.Options)
	}
	return spec, nil
}

// what fills in code or command.
func what(spec *process.Spec, b *api.Create) error {
	isCommand := spec.Environment == process.EnvCommand
	switch {
	case b.Command != nil && !isCommand:
		return process.Invalid("command", "is for the environment command, not for %s", spec.Environment)
	case b.Command != nil && b.Code != nil:
		return process.Invalid("command", "and code exclude each other: give one of them")
	case b.Command == nil && b.Code == nil && isCommand:
		return process.Invalid("command", "is missing: give a command, or code for the system's shell")
	case b.Command == nil && b.Code == nil:
		return process.Invalid("code", "is missing: want a string")
	case b.Code != nil:
		spec.Code = *b.Code
		return nil
	}
	c, err := command(b.Command)
	spec.Command = c
	return err
}

func command(b *api.Command) (*process.Command, error) {
	c := &process.Command{Program: b.Program, Args: b.Args, EnvClear: b.EnvClear, Dir: b.Dir,
		MergeStreams: b.MergeStreams, SuccessCodes: b.SuccessCodes,
		Leftovers: process.Leftovers(b.Leftovers), HideWindow: runtime.GOOS == "windows"}
	if len(b.Env) > 0 {
		c.Env = make(map[string]process.Secret, len(b.Env))
		for name, value := range b.Env {
			c.Env[name] = process.Secret(value)
		}
	}
	if b.HideWindow != nil {
		c.HideWindow = *b.HideWindow
	}
	switch {
	case b.PTY:
		return nil, process.Invalid("command.pty", "is not available in this version: leave it out")
	case b.Stdin != nil && b.StdinBase64 != nil:
		return nil, process.Invalid("command.stdin", "and stdinBase64 exclude each other: give one of them")
	case b.Stdin != nil:
		c.Stdin, c.StdinData = process.StdinBytes, process.Secret(*b.Stdin)
	case b.StdinBase64 != nil:
		c.Stdin, c.StdinData = process.StdinBytes, process.Secret(b.StdinBase64)
	}
	return c, nil
}

func (s *Server) options(spec *process.Spec, o *api.Options) error {
	timeout := o.Timeout
	if o.TimeoutMS.Set {
		if o.Timeout.Set && o.Timeout != o.TimeoutMS {
			return process.Invalid("options.timeoutMs", "and timeout differ: give one of them")
		}
		timeout = o.TimeoutMS
	}
	switch {
	case timeout.Null:
		spec.Options.Timeout = process.NoTimeout
	case timeout.Set:
		spec.Options.Timeout = duration(timeout)
	}
	spec.Options.Grace, spec.Options.Drain = duration(o.Grace), duration(o.Drain)
	if len(o.Require) > 0 && s.rt.TreeKill() == "pgroup" {
		return process.Invalid("options.require", "tree-kill cannot be given on this machine: reeve doctor says why")
	}
	return nil
}

// maxMillis keeps a number of milliseconds within a time.Duration.
const maxMillis = int64(1<<63-1) / int64(time.Millisecond)

// duration of a given number; a grace of 0 is as short as can be.
func duration(m api.Millis) time.Duration {
	switch {
	case !m.Set || m.Null:
		return 0
	case m.N == 0:
		return 1
	}
	return time.Duration(min(m.N, maxMillis)) * time.Millisecond
}

// answerWhenIdle waits for the end of a process and answers its record.
func (q *request) answerWhenIdle(status int, id process.ID) error {
	rec, err := q.await(id)
	if err != nil {
		return err
	}
	return q.answerRecord(status, rec)
}

// await waits for the end of a process, as long as the request says.
func (q *request) await(id process.ID) (*process.Process, error) {
	ctx, cancel, err := q.wait()
	if err != nil {
		return nil, err
	}
	defer cancel()
	bound, bounded := q.millis("wait")
	if bounded {
		var stop func()
		ctx, stop = withWait(ctx, bound)
		defer stop()
	}
	rec, err := q.s.rt.Await(ctx, id)
	if err != nil && ctx.Err() != nil && bounded && isWait(ctx) {
		q.w.Header().Set("Location", q.location(id))
		return nil, process.Errorf(api.CodeWaitExceeded, "process %d has not finished within %v; it goes on", id, bound)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for process %d: %w", id, err)
	}
	return rec, nil
}
