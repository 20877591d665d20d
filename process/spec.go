package process

import (
	"cmp"
	"encoding/json"
	"time"
)

// The environments whose names the runtime knows.
const (
	EnvCommand    = "command"
	EnvFunction   = "function"
	EnvTypeScript = "typescript" // registered by who links it
	EnvAgent      = "agent"      // likewise
	EnvSupervisor = "supervisor"
)

// Interpreters that need no rule file.
const (
	InterpreterGeneric = "generic" // the default
	InterpreterNone    = "none"
)

// NoTimeout disables the timeout of a process; a zero Timeout asks for the
// default of its environment.
const NoTimeout time.Duration = -1

// Spec is what a client asked for. It does not change after creation.
type Spec struct {
	Environment string
	Code        string
	Hidden      Secret // what Code leaves out because it is secret, for its environment
	Command     *Command
	Ref         string // unique among existing processes; empty: none
	Label       string
	Tags        []string
	Parent      ID // 0: none
	Interpreter string
	Priority    int // higher runs first
	RawOutput   RawOutput
	Options     Options
	Notify      *Notify // who is told when a run is over; nil: nobody
	Key         Key     // not shown
}

// Key makes a create repeatable: a second one of the same name and request,
// within KeyLife, finds the process of the first. The zero Key is none.
type Key struct {
	Name    string
	Request string // a digest of what was asked for
}

// KeyLife is how long a Key is remembered.
const KeyLife = 24 * time.Hour

// Options bound one run of a process.
type Options struct {
	Timeout time.Duration // 0: the environment's default; NoTimeout: none
	Grace   time.Duration // between SIGTERM and SIGKILL; 0: the runtime's default
	Drain   time.Duration // for descendants after the leader's exit; 0: the runtime's default
	Limits  Limits
	Sandbox Sandbox  // how far it is confined; empty: Trusted
	Require []string // what it must not run without, by the names of Enforced and TreeKill
	NoJIT   bool     // typescript: interpret only
	Tools   []string // patterns of the tools it may call; nil: what the policy allows

	Budget    Budget
	Heartbeat time.Duration // of silence before it counts as stalled; 0: the environment's default; NoTimeout: never

	Model    string // agent
	Provider string // agent: "openai", "anthropic"; empty: the daemon's default
	MaxSteps int    // agent; 0: the daemon's default
	System   string // agent: replaces the default system prompt
}

// Limits bound what one run consumes. A zero field asks for the environment's
// default.
type Limits struct {
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	PIDs        int64 `json:"pids,omitempty"`
	CPUMS       int64 `json:"cpuMs,omitempty"`
	OutputBytes int64 `json:"outputBytes,omitempty"`
	OpenFiles   int64 `json:"openFiles,omitempty"`
}

// optionsJSON is the shape a client sees: milliseconds, null for no timeout.
type optionsJSON struct {
	TimeoutMS *int64   `json:"timeoutMs"`
	GraceMS   int64    `json:"grace,omitempty"`
	DrainMS   int64    `json:"drain,omitempty"`
	Limits    *Limits  `json:"limits,omitempty"`
	Sandbox   Sandbox  `json:"sandbox,omitempty"`
	Require   []string `json:"require,omitempty"`
	JIT       *bool    `json:"jit,omitempty"`
	Tools     []string `json:"tools,omitzero"`
	Budget    *Budget  `json:"budget,omitempty"`
	Heartbeat *int64   `json:"heartbeat,omitempty"` // 0: never
	Model     string   `json:"model,omitempty"`
	Provider  string   `json:"provider,omitempty"`
	MaxSteps  int      `json:"maxSteps,omitempty"`
	System    string   `json:"system,omitempty"`
}

// MarshalJSON writes milliseconds; no timeout is null.
func (o Options) MarshalJSON() ([]byte, error) {
	w := optionsJSON{GraceMS: o.Grace.Milliseconds(), DrainMS: o.Drain.Milliseconds(), Sandbox: o.Sandbox, Require: o.Require, Tools: o.Tools,
		Model: o.Model, Provider: o.Provider, MaxSteps: o.MaxSteps, System: o.System}
	if o.Budget != (Budget{}) {
		w.Budget = &o.Budget
	}
	if o.Heartbeat != 0 {
		ms := max(0, o.Heartbeat.Milliseconds())
		w.Heartbeat = &ms
	}
	if o.Limits != (Limits{}) {
		w.Limits = &o.Limits
	}
	if o.NoJIT {
		w.JIT = new(bool)
	}
	if o.Timeout > 0 {
		ms := max(1, o.Timeout.Milliseconds())
		w.TimeoutMS = &ms
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Options) UnmarshalJSON(b []byte) error {
	var w optionsJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*o = Options{Timeout: NoTimeout, Grace: ms(w.GraceMS), Drain: ms(w.DrainMS), Sandbox: w.Sandbox, Require: w.Require, Tools: w.Tools,
		Model: w.Model, Provider: w.Provider, MaxSteps: w.MaxSteps, System: w.System}
	if w.Budget != nil {
		o.Budget = *w.Budget
	}
	if w.Heartbeat != nil {
		o.Heartbeat = cmp.Or(ms(*w.Heartbeat), NoTimeout)
	}
	if w.Limits != nil {
		o.Limits = *w.Limits
	}
	o.NoJIT = w.JIT != nil && !*w.JIT
	if w.TimeoutMS != nil {
		o.Timeout = ms(*w.TimeoutMS)
	}
	return nil
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// RawOutput says what is kept of a run's output bytes. Empty means the
// runtime's default.
type RawOutput string

// The raw output policies.
const (
	Persist               RawOutput = "persist"      // one exact file per stream
	PersistGzipOnFinalize RawOutput = "persist-gzip" // the same, compressed at the end
	MemoryOnly            RawOutput = "memory"       // readable while the runtime lives, never on disk
	Disabled              RawOutput = "disabled"     // nothing kept; events still flow
)

// RawOutputs lists every policy.
func RawOutputs() []RawOutput {
	return []RawOutput{Persist, PersistGzipOnFinalize, MemoryOnly, Disabled}
}

// Leftovers says what becomes of descendants that outlive their leader.
type Leftovers string

// The leftover policies.
const (
	KillLeftovers Leftovers = "kill" // drain time, then SIGTERM, grace, SIGKILL
	WaitLeftovers Leftovers = "wait" // the run ends when they do
)

// StdinMode says what a command reads.
type StdinMode string

// The stdin modes.
const (
	StdinNone    StdinMode = ""        // an empty stdin
	StdinInherit StdinMode = "inherit" // the runtime's own
	StdinBytes   StdinMode = "bytes"   // Command.StdinData, then end of file
	StdinOpen    StdinMode = "open"    // what is written to it while it runs
)

// Command is an operating system program and how to start it. No string in it
// is ever parsed by a shell.
type Command struct {
	Program      string
	Args         []string
	Env          map[string]Secret
	EnvClear     bool
	Dir          string
	Stdin        StdinMode
	StdinData    Secret
	PTY          bool    // its streams are a terminal, which takes input while it runs; StdinData is typed first
	Window       *Window // with PTY: a terminal for people, of this size; nil: one of 24 × 80 that neither echoes nor translates
	MergeStreams bool
	SuccessCodes []int
	Leftovers    Leftovers
	HideWindow   bool
}

// Window is the size of a terminal.
type Window struct {
	Rows uint16 `json:"rows" minimum:"1"`
	Cols uint16 `json:"cols" minimum:"1"`
}

// Check returns an error that names the field, if it is no size.
func (w Window) Check(field string) error {
	switch {
	case w.Rows == 0:
		return Invalid(field+".rows", "is 0: want at least 1")
	case w.Cols == 0:
		return Invalid(field+".cols", "is 0: want at least 1")
	}
	return nil
}

// TakesInput reports whether a running command can be written to.
func (c *Command) TakesInput() bool { return c != nil && (c.PTY || c.Stdin == StdinOpen) }

// MarshalJSON writes what a client sees.
func (c Command) MarshalJSON() ([]byte, error) { return json.Marshal(c.record()) }

// Succeeds reports whether an exit code counts as success; by default 0 does.
func (c *Command) Succeeds(code int) bool {
	if c == nil || len(c.SuccessCodes) == 0 {
		return code == 0
	}
	for _, ok := range c.SuccessCodes {
		if ok == code {
			return true
		}
	}
	return false
}
