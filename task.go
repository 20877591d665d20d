package reeve

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/function"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// Task describes a process to spawn. Its methods change and return it; one
// Task may be spawned any number of times.
type Task struct {
	spec        process.Spec
	interpreter interpret.Interpreter
	fn          function.Func
	family      *family // of a supervisor
	parked      bool
	err         error // the first mistake, reported by Spawn
}

// Command runs a program with arguments. It never parses a string: use
// [Shell] for shell syntax.
func Command(program string, args ...string) *Task {
	return newCommand(&process.Command{Program: program, Args: slices.Clone(args)})
}

// Shell runs a script by the system's shell: sh -c, on Windows cmd /C.
func Shell(script string) *Task { return newCommand(command.Shell(script)) }

// SystemShell is Shell.
func SystemShell(script string) *Task { return Shell(script) }

// Sh runs a script by sh -c.
func Sh(script string) *Task { return Command("sh", "-c", script) }

// Cmd runs a script by cmd /C.
func Cmd(script string) *Task { return Command("cmd", "/C", script) }

// PowerShell runs a script by Windows PowerShell.
func PowerShell(script string) *Task {
	return Command("powershell", "-NoProfile", "-NonInteractive", "-Command", script)
}

// Pwsh runs a script by PowerShell 7.
func Pwsh(script string) *Task {
	return Command("pwsh", "-NoProfile", "-NonInteractive", "-Command", script)
}

// Func runs a Go function of this program. A function does not survive the
// program: to have a queued one run after a restart, register it by name in
// Config.Functions.
func Func(name string, fn func(ctx context.Context, c *FuncCall) error) *Task {
	return &Task{spec: process.Spec{Environment: process.EnvFunction, Code: name}, fn: fn}
}

// TypeScript runs a program in the environment "typescript", which has to be
// registered through Config.
func TypeScript(code string) *Task { return In(process.EnvTypeScript, code) }

// Agent has a model work on an intent in the environment "agent", which has to be
// registered through Config.
func Agent(intent string) *Task { return In(process.EnvAgent, intent) }

// In describes code for an environment registered through Config.
func In(environment, code string) *Task {
	return &Task{spec: process.Spec{Environment: environment, Code: code}}
}

// FromSpec describes what a Spec says, for those who have one: a server, say.
// The Spec is checked by Spawn.
func FromSpec(s process.Spec) *Task { return &Task{spec: s} }

func newCommand(c *process.Command) *Task {
	c.Leftovers = process.KillLeftovers
	c.HideWindow = runtime.GOOS == "windows"
	c.SuccessCodes = []int{0}
	return &Task{spec: process.Spec{Environment: process.EnvCommand, Command: c}}
}

// Spec returns what will be asked for.
func (t *Task) Spec() process.Spec { return t.spec }

// Arg adds an argument.
func (t *Task) Arg(a string) *Task { return t.Args(a) }

// Args adds arguments.
func (t *Task) Args(args ...string) *Task {
	return t.command(func(c *process.Command) { c.Args = append(c.Args, args...) })
}

// Env sets an environment variable. Its value is stored encrypted, for re-runs,
// and never shown.
func (t *Task) Env(key, value string) *Task { return t.Envs(map[string]string{key: value}) }

// Envs sets environment variables.
func (t *Task) Envs(vars map[string]string) *Task {
	return t.command(func(c *process.Command) {
		if c.Env == nil {
			c.Env = map[string]process.Secret{}
		}
		for k, v := range vars {
			c.Env[k] = process.Secret(v)
		}
	})
}

// EnvClear starts from an empty environment instead of the program's own.
func (t *Task) EnvClear() *Task {
	return t.command(func(c *process.Command) { c.EnvClear = true })
}

// Dir sets the working directory.
func (t *Task) Dir(dir string) *Task {
	return t.command(func(c *process.Command) { c.Dir = dir })
}

// Stdin gives the command bytes to read, then the end of file. They are stored
// encrypted, for re-runs, and never shown. Without it stdin is empty.
func (t *Task) Stdin(data []byte) *Task {
	return t.command(func(c *process.Command) {
		c.Stdin, c.StdinData = process.StdinBytes, process.Secret(data)
	})
}

// StdinInherit lets the command read this program's own stdin.
func (t *Task) StdinInherit() *Task {
	return t.command(func(c *process.Command) { c.Stdin = process.StdinInherit })
}

// StdinOpen leaves stdin open for Runtime.Input, until Runtime.CloseInput.
func (t *Task) StdinOpen() *Task {
	return t.command(func(c *process.Command) { c.Stdin = process.StdinOpen })
}

// PTY gives the command a terminal for its three streams; what it shows is its
// stdout. It takes input while it runs (Runtime.Input); Stdin, if given, is typed
// first, then the end of file. The terminal has 24 rows of 80 columns and
// neither echoes nor translates, so that the output is what the command wrote.
func (t *Task) PTY() *Task {
	return t.command(func(c *process.Command) { c.PTY = true })
}

// Window is PTY with a terminal for people: of this size, and it echoes what is
// typed and makes CR LF of a newline.
func (t *Task) Window(w Window) *Task {
	return t.command(func(c *process.Command) { c.PTY, c.Window = true, &w })
}

// SuccessCodes says which exit codes are success, instead of 0.
func (t *Task) SuccessCodes(codes ...int) *Task {
	return t.command(func(c *process.Command) { c.SuccessCodes = slices.Clone(codes) })
}

// HideWindow opens no console window on Windows, where it is the default.
func (t *Task) HideWindow(yes bool) *Task {
	return t.command(func(c *process.Command) { c.HideWindow = yes })
}

// MergeStreams sends stderr to stdout's log, which keeps their exact order.
func (t *Task) MergeStreams() *Task {
	return t.command(func(c *process.Command) { c.MergeStreams = true })
}

// Leftovers says what becomes of descendants that outlive the command.
func (t *Task) Leftovers(l Leftovers) *Task {
	return t.command(func(c *process.Command) { c.Leftovers = l })
}

func (t *Task) command(change func(*process.Command)) *Task {
	if t.spec.Command == nil {
		return t.fail(process.Invalid("command", "is not set: this option is for commands"))
	}
	change(t.spec.Command)
	return t
}

func (t *Task) fail(err error) *Task {
	if t.err == nil {
		t.err = err
	}
	return t
}

// Ref names the process; no other existing one may carry the name.
func (t *Task) Ref(ref string) *Task {
	if t.spec.Ref = strings.TrimSpace(ref); t.spec.Ref == "" {
		return t.fail(process.Invalid("ref", "is empty: leave it out or name the process"))
	}
	return t
}

// Key makes the spawn repeatable: see Runtime.SpawnOnce. The request is a
// digest of what is asked for.
func (t *Task) Key(name, request string) *Task {
	t.spec.Key = process.Key{Name: name, Request: request}
	return t
}

// Label is the title people see.
func (t *Task) Label(label string) *Task { t.spec.Label = label; return t }

// Tags are for filtering.
func (t *Task) Tags(tags ...string) *Task { t.spec.Tags = append(t.spec.Tags, tags...); return t }

// Parent puts the process below another one.
func (t *Task) Parent(id ID) *Task { t.spec.Parent = id; return t }

// Priority lets it overtake others in the queue; higher is earlier.
func (t *Task) Priority(n int) *Task { t.spec.Priority = n; return t }

// Interpreter names what reads the output: "generic" (the default), "none", a
// built-in or a rule file's name.
func (t *Task) Interpreter(name string) *Task { t.spec.Interpreter = name; return t }

// InterpretedBy reads the output by an interpreter of this program. It serves
// one run: a Task with one is to be spawned once.
func (t *Task) InterpretedBy(i Interpreter) *Task { t.interpreter = i; return t }

// Timeout bounds the run's time, from its start. It ends like a cancel.
func (t *Task) Timeout(d time.Duration) *Task {
	if d <= 0 {
		return t.fail(process.Invalid("timeout", "%v is not positive: use NoTimeout to have none", d))
	}
	t.spec.Options.Timeout = d
	return t
}

// NoTimeout lets it run without the environment's default timeout.
func (t *Task) NoTimeout() *Task { t.spec.Options.Timeout = process.NoTimeout; return t }

// Grace is the time between SIGTERM and SIGKILL.
func (t *Task) Grace(d time.Duration) *Task { t.spec.Options.Grace = d; return t }

// Drain is the time descendants have after the command's exit.
func (t *Task) Drain(d time.Duration) *Task { t.spec.Options.Drain = d; return t }

// Limits bound what the run consumes; a zero field asks for the environment's
// default.
func (t *Task) Limits(l Limits) *Task { t.spec.Options.Limits = l; return t }

// Sandbox says how far a command is confined; Trusted is not at all.
func (t *Task) Sandbox(s Sandbox) *Task { t.spec.Options.Sandbox = s; return t }

// Require names what the run must not do without, such as "tree-kill", "memory"
// or "landlock": it then fails (FailSpawn) instead of having less. What it had
// is in its record's Enforced.
func (t *Task) Require(names ...string) *Task {
	t.spec.Options.Require = append(t.spec.Options.Require, names...)
	return t
}

// Budget bounds what the process and all below it use together. A child has no
// more than what is left to those above it.
func (t *Task) Budget(b Budget) *Task { t.spec.Options.Budget = b; return t }

// Heartbeat is how long nothing may be heard of it before an event says that it
// has stalled. Nothing else follows.
func (t *Task) Heartbeat(d time.Duration) *Task {
	if d <= 0 {
		return t.fail(process.Invalid("heartbeat", "%v is not positive: use NoHeartbeat to have none", d))
	}
	t.spec.Options.Heartbeat = d
	return t
}

// NoHeartbeat has nobody listen, whatever the environment's default is.
func (t *Task) NoHeartbeat() *Task { t.spec.Options.Heartbeat = process.NoTimeout; return t }

// NoJIT (TypeScript) has the program interpreted only: slower, and less to
// attack.
func (t *Task) NoJIT() *Task { t.spec.Options.NoJIT = true; return t }

// Tools are patterns (service/tool, with * and ?) of the tools it may call,
// where the policy allows them. Without any it may call none; a Task that does
// not say may call what the policy allows.
func (t *Task) Tools(patterns ...string) *Task {
	t.spec.Options.Tools = append([]string{}, patterns...)
	return t
}

// Model (agent) names the model to ask, instead of the environment's default.
func (t *Task) Model(name string) *Task { t.spec.Options.Model = name; return t }

// Provider (agent) says whose protocol the endpoint speaks: "openai" or
// "anthropic".
func (t *Task) Provider(name string) *Task { t.spec.Options.Provider = name; return t }

// MaxSteps (agent) bounds how often the model is asked.
func (t *Task) MaxSteps(n int) *Task { t.spec.Options.MaxSteps = n; return t }

// System (agent) replaces the default system prompt.
func (t *Task) System(prompt string) *Task { t.spec.Options.System = prompt; return t }

// RawOutput says what is kept of the output bytes.
func (t *Task) RawOutput(p RawOutput) *Task { t.spec.RawOutput = p; return t }

// Notify has the end of each run told to a URL, by an HTTP request that the
// secret signs as Standard Webhooks has it; an empty one signs nothing. It is
// sent until the receiver has it, over a day; both are stored encrypted and the
// secret is never shown. See Runtime.Notifications.
func (t *Task) Notify(url, secret string) *Task {
	t.spec.Notify = &process.Notify{URL: process.Secret(url), Secret: process.Secret(secret)}
	return t
}

// Parked creates the process idle; Runtime.Run starts it.
func (t *Task) Parked() *Task { t.parked = true; return t }

// clone makes the spec independent of later changes to the Task.
func (t *Task) clone() process.Spec {
	s := t.spec
	s.Tags = slices.Clone(s.Tags)
	s.Options.Tools = slices.Clone(s.Options.Tools)
	s.Options.Require = slices.Clone(s.Options.Require)
	if s.Command != nil {
		c := *s.Command
		c.Args = slices.Clone(c.Args)
		c.Env = maps.Clone(c.Env)
		s.Command = &c
	}
	if s.Notify != nil {
		n := *s.Notify
		s.Notify = &n
	}
	return s
}
