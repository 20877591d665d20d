package api

import (
	"slices"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// CreateOf returns the body that asks for a Spec: the way back from Specs.Make.
// The error names what JSON cannot carry.
func CreateOf(s process.Spec) (Create, error) {
	b := Create{Environment: s.Environment, Label: s.Label, Tags: s.Tags, Parent: int64(s.Parent), Interpreter: s.Interpreter,
		Priority: s.Priority, RawOutput: string(s.RawOutput), Options: optionsOf(&s)}
	if s.Ref != "" {
		b.Ref = &s.Ref
	}
	if n := s.Notify; n != nil {
		b.Notify = &Notify{URL: n.URL.Reveal()}
		if secret := n.Secret.Reveal(); secret != "" {
			b.Notify.Secret = &secret
		}
		if err := readable("notify", n.URL.Reveal(), n.Secret.Reveal()); err != nil {
			return b, err
		}
	}
	if s.Command == nil {
		b.Code = &s.Code
		return b, readable("code", s.Code)
	}
	c, err := commandOf(s.Command)
	b.Command = c
	return b, err
}

func commandOf(c *process.Command) (*Command, error) {
	b := &Command{Program: c.Program, Args: c.Args, EnvClear: c.EnvClear, Dir: c.Dir, PTY: c.PTY, Window: c.Window,
		StdinOpen: c.Stdin == process.StdinOpen, MergeStreams: c.MergeStreams,
		SuccessCodes: c.SuccessCodes, Leftovers: string(c.Leftovers), HideWindow: &c.HideWindow}
	for name, value := range c.Env {
		if b.Env == nil {
			b.Env = map[string]string{}
		}
		b.Env[name] = value.Reveal()
		if err := readable("command.env."+name, name, value.Reveal()); err != nil {
			return nil, err
		}
	}
	switch c.Stdin {
	case process.StdinInherit:
		return nil, process.Invalid("command.stdin", "cannot be inherited by a child of a supervisor")
	case process.StdinBytes:
		b.StdinBase64 = []byte(c.StdinData.Reveal())
		if len(b.StdinBase64) == 0 { // JSON would leave it out
			b.StdinBase64, b.Stdin = nil, new(string)
		}
	}
	return b, readable("command", append(slices.Clone(c.Args), c.Program, c.Dir)...)
}

func optionsOf(s *process.Spec) *Options {
	o := s.Options
	b := &Options{Sandbox: string(o.Sandbox), Require: o.Require, Tools: o.Tools, Model: o.Model, Provider: o.Provider, MaxSteps: o.MaxSteps, System: o.System}
	switch {
	case o.Timeout == process.NoTimeout:
		b.Timeout = NullMS()
	case o.Timeout > 0:
		b.Timeout = MS(max(1, o.Timeout.Milliseconds()))
	}
	if o.Grace > 0 {
		b.Grace = MS(o.Grace.Milliseconds())
	}
	if o.Drain > 0 {
		b.Drain = MS(o.Drain.Milliseconds())
	}
	switch {
	case o.Heartbeat == process.NoTimeout:
		b.Heartbeat = NullMS()
	case o.Heartbeat > 0:
		b.Heartbeat = MS(max(1, o.Heartbeat.Milliseconds()))
	}
	if o.Budget != (process.Budget{}) {
		budget := Budget(o.Budget)
		b.Budget = &budget
	}
	if l := o.Limits; l != (process.Limits{}) {
		limits := Limits(l)
		b.Limits = &limits
	}
	if o.NoJIT {
		b.JIT = new(bool)
	}
	return b
}

func readable(field string, texts ...string) error {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return process.Invalid(field, "is not UTF-8, and cannot be passed on as it is")
		}
	}
	return nil
}
