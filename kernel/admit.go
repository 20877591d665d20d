package kernel

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// admit checks a request without touching anything, and fills in defaults.
func (k *Kernel) admit(ctx context.Context, r *Request) (*environment, error) {
	if k.closing.Load() {
		return nil, process.ErrClosed
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := &r.Spec
	e, ok := k.envs[s.Environment]
	if !ok {
		return nil, process.Errorf(process.CodeNoEnvironment, "the environment %q is not available", s.Environment)
	}
	if err := checkSpec(s); err != nil {
		return nil, err
	}
	if r.Interpreter == nil {
		if _, err := k.cfg.Interpreters.New(s.Interpreter); err != nil {
			return nil, err
		}
	}
	if _, ok := e.Environment.Environment.(env.Enforcer); !ok {
		if err := unenforced(s); err != nil {
			return nil, err
		}
	}
	if c, ok := e.Environment.Environment.(env.Checker); ok {
		if err := c.Check(s); err != nil {
			return nil, err
		}
	}
	if s.Parent != 0 {
		if _, err := k.Process(ctx, s.Parent); err != nil {
			return nil, process.Invalid("parent", "there is no process %d", s.Parent)
		}
	}
	if s.Options.Timeout == 0 {
		s.Options.Timeout = cmp.Or(e.Timeout, process.NoTimeout)
	}
	if s.Options.Heartbeat == 0 {
		s.Options.Heartbeat = e.Heartbeat
	}
	s.RawOutput = cmp.Or(s.RawOutput, k.cfg.RawOutput)
	return e, nil
}

// Bounds of what a client may name things.
const (
	maxName = 1 << 10
	maxTags = 100
)

func checkSpec(s *process.Spec) error {
	if s.Ref != "" {
		if s.Ref = strings.TrimSpace(s.Ref); s.Ref == "" {
			return process.Invalid("ref", "is empty: leave it out or name the process")
		}
	}
	if len(s.Tags) > maxTags {
		return process.Invalid("tags", "has %d tags: want at most %d", len(s.Tags), maxTags)
	}
	for _, tag := range s.Tags {
		if strings.TrimSpace(tag) == "" {
			return process.Invalid("tags", "holds an empty tag")
		}
	}
	for field, v := range map[string]string{"ref": s.Ref, "label": s.Label, "tags": longest(s.Tags)} {
		if len(v) > maxName {
			return process.Invalid(field, "is %d bytes long: want at most %d", len(v), maxName)
		}
	}
	if s.RawOutput != "" && !slices.Contains(process.RawOutputs(), s.RawOutput) {
		return process.Invalid("rawOutput", "%q is not a policy: want persist, persist-gzip, memory or disabled", s.RawOutput)
	}
	o := s.Options
	if o.Timeout < 0 && o.Timeout != process.NoTimeout {
		return process.Invalid("timeout", "%v is negative", o.Timeout)
	}
	if o.Grace < 0 || o.Drain < 0 {
		return process.Invalid("grace", "waits cannot be negative")
	}
	if err := checkBounds(&o); err != nil {
		return err
	}
	if o.Heartbeat < 0 && o.Heartbeat != process.NoTimeout {
		return process.Invalid("heartbeat", "%v is negative", o.Heartbeat)
	}
	if err := o.Budget.Check(); err != nil {
		return err
	}
	if err := s.Notify.Check(); err != nil {
		return err
	}
	if len(o.Tools) > maxTags || len(longest(o.Tools)) > maxName {
		return process.Invalid("tools", "has %d patterns, the longest of %d bytes: want at most %d of %d", len(o.Tools), len(longest(o.Tools)), maxTags, maxName)
	}
	return nil
}

// checkBounds refuses limits, sandboxes and requirements that mean nothing.
func checkBounds(o *process.Options) error {
	l := &o.Limits
	for name, n := range map[string]int64{"memoryBytes": l.MemoryBytes, "pids": l.PIDs, "cpuMs": l.CPUMS, "outputBytes": l.OutputBytes, "openFiles": l.OpenFiles} {
		if n < 0 {
			return process.Invalid("options.limits."+name, "%d is negative: leave it out for the default", n)
		}
	}
	if o.Sandbox != "" && !slices.Contains(process.Sandboxes(), o.Sandbox) {
		return process.Invalid("options.sandbox", "%q is not a sandbox: want trusted, confined or sandbox", o.Sandbox)
	}
	if len(o.Require) > maxTags || len(longest(o.Require)) > maxName {
		return process.Invalid("options.require", "has %d names, the longest of %d bytes: want at most %d of %d", len(o.Require), len(longest(o.Require)), maxTags, maxName)
	}
	return nil
}

// unenforced refuses what an environment would not heed.
func unenforced(s *process.Spec) error {
	switch {
	case s.Options.Sandbox.Confines():
		return process.Invalid("options.sandbox", "the environment %s confines nothing: leave it out", s.Environment)
	case len(s.Options.Require) > 0:
		return process.Invalid("options.require", "the environment %s can be required nothing of: leave it out", s.Environment)
	}
	return nil
}

func longest(all []string) (l string) {
	for _, s := range all {
		if len(s) > len(l) {
			l = s
		}
	}
	return l
}

// reserve gives the request its id, after the checks that must not race with
// other creates: the ref is free and the table has room. A refused request
// uses up no id.
func (k *Kernel) reserve(ctx context.Context, r Request) (*process.Process, error) {
	s := &r.Spec
	k.spawning.Lock()
	defer k.spawning.Unlock()
	if k.closing.Load() {
		return nil, process.ErrClosed
	}
	if n := k.cfg.MaxActive; n > 0 && !r.Parked && k.active.Load() >= int64(n) {
		return nil, process.Errorf(process.CodeTooMany, "%d processes are active: that is the limit", n)
	}
	if s.Ref != "" {
		_, err := k.cfg.Store.FindRef(ctx, s.Ref)
		if err == nil || k.refs[s.Ref] {
			return nil, process.Errorf(process.CodeRefConflict, "another process carries the ref %q", s.Ref)
		}
		k.refs[s.Ref] = true
	}
	k.creating.Add(1)
	if !r.Parked {
		k.active.Add(1) // until the run is over, or could not be entered
	}
	rec := &process.Process{ID: process.ID(k.nextID.Add(1)), Spec: *s,
		State: process.Idle, CreatedAt: k.now().Truncate(time.Millisecond)}
	return rec, nil
}

func (k *Kernel) unreserve(ref string) {
	if ref == "" {
		return
	}
	k.spawning.Lock()
	defer k.spawning.Unlock()
	delete(k.refs, ref)
}
