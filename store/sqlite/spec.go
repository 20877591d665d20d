package sqlite

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// specJSON is what the column specs.spec holds: a process.Spec without what
// has a column of its own. The domain's own JSON is for clients: it redacts,
// and rounds to milliseconds.
type specJSON struct {
	Label       string            `json:"label"`
	Tags        []string          `json:"tags"`
	Interpreter string            `json:"interpreter"`
	Priority    int               `json:"priority"`
	RawOutput   process.RawOutput `json:"rawOutput"`
	Timeout     time.Duration     `json:"timeout"`
	Grace       time.Duration     `json:"grace"`
	Drain       time.Duration     `json:"drain"`
	Limits      process.Limits    `json:"limits"`
	Sandbox     process.Sandbox   `json:"sandbox"`
	Require     []string          `json:"require"`
	NoJIT       bool              `json:"noJit"`
	Tools       []string          `json:"tools"` // null: what the policy allows
	Budget      process.Budget    `json:"budget"`
	Heartbeat   time.Duration     `json:"heartbeat"`
	Model       string            `json:"model"`
	Provider    string            `json:"provider"`
	MaxSteps    int               `json:"maxSteps"`
	System      string            `json:"system"`
	Key         string            `json:"key"`
	KeyRequest  string            `json:"keyRequest"`
	Hidden      bool              `json:"hidden"` // the code leaves something out; it is sealed
	Notify      string            `json:"notify"` // what may be shown of the URL; all of it is sealed
	Signed      bool              `json:"signed"` // there is a secret; it is sealed
	Command     *commandJSON      `json:"command"`
}

type commandJSON struct {
	Program      string            `json:"program"`
	Args         []string          `json:"args,omitempty"`
	Env          []string          `json:"env,omitempty"` // the names; the values are sealed
	EnvClear     bool              `json:"envClear,omitempty"`
	Dir          string            `json:"dir,omitempty"`
	Stdin        process.StdinMode `json:"stdin,omitempty"`
	StdinData    bool              `json:"stdinData,omitempty"` // there is some; it is sealed
	PTY          bool              `json:"pty,omitempty"`
	Window       *process.Window   `json:"window,omitempty"`
	MergeStreams bool              `json:"mergeStreams,omitempty"`
	SuccessCodes []int             `json:"successCodes,omitempty"`
	Leftovers    process.Leftovers `json:"leftovers,omitempty"`
	HideWindow   bool              `json:"hideWindow,omitempty"`
	Bytes        *commandBytes     `json:"bytes,omitempty"`
}

// commandBytes holds what a command is made of when that is not UTF-8: to the
// operating system it is bytes, and JSON would change them.
type commandBytes struct {
	Program []byte   `json:"program"`
	Args    [][]byte `json:"args"`
	Dir     []byte   `json:"dir"`
	Env     [][]byte `json:"env"`
}

func (o *object) spec(s *process.Spec) (string, error) {
	o.start()
	o.string("label", s.Label)
	o.strings("tags", s.Tags)
	o.string("interpreter", s.Interpreter)
	o.int("priority", int64(s.Priority))
	o.string("rawOutput", string(s.RawOutput))
	o.int("timeout", int64(s.Options.Timeout))
	o.int("grace", int64(s.Options.Grace))
	o.int("drain", int64(s.Options.Drain))
	if s.Options.Limits != (process.Limits{}) {
		o.value("limits", s.Options.Limits)
	}
	o.string("sandbox", string(s.Options.Sandbox))
	o.strings("require", s.Options.Require)
	o.bool("noJit", s.Options.NoJIT)
	if s.Options.Tools != nil { // none is not the same as any
		o.value("tools", s.Options.Tools)
	}
	if s.Options.Budget != (process.Budget{}) {
		o.value("budget", s.Options.Budget)
	}
	o.int("heartbeat", int64(s.Options.Heartbeat))
	o.string("model", s.Options.Model)
	o.string("provider", s.Options.Provider)
	o.int("maxSteps", int64(s.Options.MaxSteps))
	o.string("system", s.Options.System)
	o.string("key", s.Key.Name)
	o.string("keyRequest", s.Key.Request)
	o.bool("hidden", s.Hidden != "")
	if n := s.Notify; n != nil {
		o.string("notify", n.Shown())
		o.bool("signed", n.Secret != "")
	}
	if s.Command != nil {
		o.value("command", encodeCommand(s.Command))
	}
	return o.done()
}

func encodeCommand(c *process.Command) *commandJSON {
	j := &commandJSON{
		Program: c.Program, Args: c.Args, EnvClear: c.EnvClear, Dir: c.Dir, Stdin: c.Stdin,
		StdinData: c.StdinData != "", PTY: c.PTY, Window: c.Window, MergeStreams: c.MergeStreams, SuccessCodes: c.SuccessCodes,
		Leftovers: c.Leftovers, HideWindow: c.HideWindow,
	}
	for name := range c.Env {
		j.Env = append(j.Env, name)
	}
	slices.Sort(j.Env)
	if !valid(c.Program, c.Dir) || !valid(c.Args...) || !valid(j.Env...) {
		j.Bytes = &commandBytes{[]byte(c.Program), bytesOf(c.Args), []byte(c.Dir), bytesOf(j.Env)}
	}
	return j
}

func valid(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

func bytesOf(texts []string) (out [][]byte) {
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

func textsOf(bytes [][]byte) (out []string) {
	for _, b := range bytes {
		out = append(out, string(b))
	}
	return out
}

// decodeSpec fills in what the JSON holds; secrets are redacted.
func decodeSpec(text []byte, s *process.Spec) error {
	var j specJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	s.Label, s.Tags, s.Interpreter, s.Priority, s.RawOutput = j.Label, j.Tags, j.Interpreter, j.Priority, j.RawOutput
	s.Options = process.Options{Timeout: j.Timeout, Grace: j.Grace, Drain: j.Drain,
		Limits: j.Limits, Sandbox: j.Sandbox, Require: j.Require, NoJIT: j.NoJIT, Tools: j.Tools, Budget: j.Budget, Heartbeat: j.Heartbeat,
		Model: j.Model, Provider: j.Provider, MaxSteps: j.MaxSteps, System: j.System}
	s.Key = process.Key{Name: j.Key, Request: j.KeyRequest}
	s.Command = decodeCommand(j.Command)
	if j.Hidden {
		s.Hidden = process.Redacted
	}
	if j.Notify != "" {
		s.Notify = &process.Notify{URL: process.Secret(j.Notify)}
		if j.Signed {
			s.Notify.Secret = process.Redacted
		}
	}
	return nil
}

func decodeCommand(j *commandJSON) *process.Command {
	if j == nil {
		return nil
	}
	if b := j.Bytes; b != nil {
		j.Program, j.Args, j.Dir, j.Env = string(b.Program), textsOf(b.Args), string(b.Dir), textsOf(b.Env)
	}
	c := &process.Command{
		Program: j.Program, Args: j.Args, EnvClear: j.EnvClear, Dir: j.Dir, Stdin: j.Stdin,
		PTY: j.PTY, Window: j.Window, MergeStreams: j.MergeStreams, SuccessCodes: j.SuccessCodes, Leftovers: j.Leftovers, HideWindow: j.HideWindow,
	}
	if j.StdinData {
		c.StdinData = process.Redacted
	}
	if len(j.Env) > 0 {
		c.Env = make(map[string]process.Secret, len(j.Env))
		for _, name := range j.Env {
			c.Env[name] = process.Redacted
		}
	}
	return c
}
