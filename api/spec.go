package api

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Specs makes a Spec of what a client or a program asks for.
type Specs struct {
	Environment string             // of those who name none
	Pattern     func(string) error // says what is wrong with a pattern of tools; nil: nothing
	Functions   bool               // Go functions of this program may be asked for by name
}

// Make returns what a body asks for.
func (s Specs) Make(b *Create) (process.Spec, error) {
	spec := process.Spec{Environment: s.Environment, Label: b.Label, Tags: b.Tags, Parent: process.ID(b.Parent),
		Interpreter: b.Interpreter, Priority: b.Priority, RawOutput: process.RawOutput(b.RawOutput)}
	if b.Environment != "" {
		spec.Environment = b.Environment
	}
	if spec.Environment == process.EnvFunction && !s.Functions { // Go functions, for embedded use
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
	if n := b.Notify; n != nil {
		spec.Notify = &process.Notify{URL: process.Secret(n.URL)}
		if n.Secret != nil {
			spec.Notify.Secret = process.Secret(*n.Secret)
		}
		if err := spec.Notify.Check(); err != nil {
			return spec, err
		}
	}
	if b.Options != nil {
		return spec, s.options(&spec, b.Options)
	}
	return spec, nil
}

// what fills in code or command.
func what(spec *process.Spec, b *Create) error {
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

func command(b *Command) (*process.Command, error) {
	c := &process.Command{Program: b.Program, Args: b.Args, EnvClear: b.EnvClear, Dir: b.Dir,
		PTY: b.PTY, Window: b.Window, MergeStreams: b.MergeStreams, SuccessCodes: b.SuccessCodes,
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
	case b.Window != nil && !b.PTY:
		return nil, process.Invalid("command.window", "is the size of a terminal: give it with pty")
	case b.StdinOpen && (b.Stdin != nil || b.StdinBase64 != nil):
		return nil, process.Invalid("command.stdinOpen", "and stdin exclude each other: send it to /input")
	case b.StdinOpen && b.PTY:
		return nil, process.Invalid("command.stdinOpen", "is for a program without a pty: a terminal is always open")
	case b.Stdin != nil && b.StdinBase64 != nil:
		return nil, process.Invalid("command.stdin", "and stdinBase64 exclude each other: give one of them")
	case b.Stdin != nil:
		c.Stdin, c.StdinData = process.StdinBytes, process.Secret(*b.Stdin)
	case b.StdinBase64 != nil:
		c.Stdin, c.StdinData = process.StdinBytes, process.Secret(b.StdinBase64)
	case b.StdinOpen:
		c.Stdin = process.StdinOpen
	}
	return c, nil
}

func (s Specs) options(spec *process.Spec, o *Options) error {
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
		spec.Options.Timeout = timeout.Duration()
	}
	spec.Options.Grace, spec.Options.Drain = o.Grace.Duration(), o.Drain.Duration()
	spec.Options.Heartbeat = o.Heartbeat.Duration()
	if h := o.Heartbeat; h.Set && h.N == 0 {
		spec.Options.Heartbeat = process.NoTimeout
	}
	if b := o.Budget; b != nil {
		spec.Options.Budget = process.Budget(*b)
	}
	spec.Options.Sandbox, spec.Options.Require = process.Sandbox(o.Sandbox), o.Require
	if err := agentOptions(spec, o); err != nil {
		return err
	}
	return s.programOptions(spec, o)
}

// programOptions fills in what not every environment knows.
func (s Specs) programOptions(spec *process.Spec, o *Options) error {
	switch command := spec.Environment == process.EnvCommand; {
	case command && o.JIT != nil:
		return process.Invalid("options.jit", "is for programs, not for the environment command: leave it out")
	case command && o.Tools != nil:
		return process.Invalid("options.tools", "the environment command calls no tools: leave it out")
	case spec.Environment == process.EnvAgent && o.Limits != nil:
		return process.Invalid("options.limits", "is for programs and commands, not for agents: bound them by a timeout, maxSteps or a budget")
	case spec.Environment == process.EnvAgent && o.JIT != nil:
		return process.Invalid("options.jit", "is for programs, not for agents: leave it out")
	}
	if o.Limits != nil {
		spec.Options.Limits = process.Limits(*o.Limits)
	}
	spec.Options.NoJIT = o.JIT != nil && !*o.JIT
	for i, pattern := range o.Tools {
		if s.Pattern == nil {
			break
		}
		if err := s.Pattern(pattern); err != nil {
			return process.Invalid(fmt.Sprintf("options.tools[%d]", i), "%v", err)
		}
	}
	spec.Options.Tools = o.Tools
	return nil
}

// agentOptions fills in what only agents know.
func agentOptions(spec *process.Spec, o *Options) error {
	if spec.Environment != process.EnvAgent {
		for name, given := range map[string]bool{"model": o.Model != "", "provider": o.Provider != "", "maxSteps": o.MaxSteps != 0, "system": o.System != ""} {
			if given {
				return process.Invalid("options."+name, "is for agents, not for the environment %s: leave it out", spec.Environment)
			}
		}
		return nil
	}
	spec.Options.Model, spec.Options.Provider = o.Model, o.Provider
	spec.Options.MaxSteps, spec.Options.System = o.MaxSteps, o.System
	return nil
}
