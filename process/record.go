package process

import (
	"encoding/json"
	"time"
)

// Record is a process as clients see it: absent values are null. The record of
// one process has every key; items of a list leave out Code, Output, Stdout and
// Stderr unless they were asked for.
type Record struct {
	ID          ID              `json:"id"`
	Ref         *string         `json:"ref"`
	Parent      *ID             `json:"parent"`
	Environment string          `json:"environment"`
	Label       *string         `json:"label"`
	Tags        []string        `json:"tags"`
	Priority    int             `json:"priority"`
	State       State           `json:"state"`
	ExitState   *ExitState      `json:"exitState"`
	Lifecycle   Lifecycle       `json:"lifecycle"`
	Paused      bool            `json:"paused"`
	PausedAt    *Stamp          `json:"pausedAt" nullable:"true"`
	Error       *string         `json:"error"`
	Exit        *Exit           `json:"exit"`
	Outcome     *Outcome        `json:"outcome"`
	Code        *string         `json:"code,omitempty"`
	Command     *CommandRecord  `json:"command"`
	Options     Options         `json:"options"`
	Output      *map[string]any `json:"output,omitempty"`
	Stdout      *string         `json:"stdout,omitempty"`
	Stderr      *string         `json:"stderr,omitempty"`
	StdoutBytes int64           `json:"stdoutBytes"`
	StderrBytes int64           `json:"stderrBytes"`
	Phase       *Phase          `json:"phase"`
	Progress    Progress        `json:"progress"`
	Run         int             `json:"run"`
	Enforced    *Enforced       `json:"enforced"`
	Usage       Usage           `json:"usage"`
	Interpreter string          `json:"interpreter"`
	RawOutput   RawOutput       `json:"rawOutput"`
	Notify      *NotifyRecord   `json:"notify"`
	CreatedAt   Stamp           `json:"createdAt"`
	StartedAt   *Stamp          `json:"startedAt" nullable:"true"`
	CompletedAt *Stamp          `json:"completedAt" nullable:"true"`
}

// CommandRecord is a command as clients see it: values of Env and stdin are
// Redacted.
type CommandRecord struct {
	Program      string            `json:"program"`
	Args         []string          `json:"args"`
	Env          map[string]string `json:"env"`
	EnvClear     bool              `json:"envClear"`
	Dir          *string           `json:"cwd"`
	Stdin        *string           `json:"stdin"`
	PTY          bool              `json:"pty"`
	Window       *Window           `json:"window"` // that its terminal was made with
	MergeStreams bool              `json:"mergeStreams"`
	SuccessCodes []int             `json:"successCodes"`
	Leftovers    Leftovers         `json:"leftovers"`
	HideWindow   bool              `json:"hideWindow"`
}

// RunRecord is one run as clients see it.
type RunRecord struct {
	Run         int        `json:"run"`
	ExitState   *ExitState `json:"exitState"`
	Error       *string    `json:"error"`
	Exit        *Exit      `json:"exit"`
	Outcome     *Outcome   `json:"outcome"`
	Usage       Usage      `json:"usage"`
	StdoutBytes int64      `json:"stdoutBytes"`
	StderrBytes int64      `json:"stderrBytes"`
	StartedAt   *Stamp     `json:"startedAt" nullable:"true"`
	CompletedAt *Stamp     `json:"completedAt" nullable:"true"`
}

// Stamp is a time as clients see it: UTC, in milliseconds.
type Stamp struct{ time.Time }

const stampFormat = `"2006-01-02T15:04:05.000Z"`

// MarshalJSON writes the time in UTC, with milliseconds.
func (s Stamp) MarshalJSON() ([]byte, error) {
	return s.UTC().AppendFormat(nil, stampFormat), nil
}

func stamp(t time.Time) *Stamp {
	if t.IsZero() {
		return nil
	}
	return &Stamp{t}
}

// Record returns the process as clients see it, without Stdout and Stderr: its
// output bytes live in the logs.
func (p *Process) Record() Record {
	r := Record{
		ID: p.ID, Ref: nilIfZero(p.Ref), Parent: nilIfZero(p.Parent), Environment: p.Environment,
		Label: nilIfZero(p.Label), Tags: p.Tags, Priority: p.Priority,
		State: p.State, ExitState: nilIfZero(p.ExitState), Lifecycle: p.Lifecycle,
		Paused: p.Paused, PausedAt: stamp(p.PausedAt),
		Error: nilIfZero(p.Error), Exit: p.Exit, Outcome: p.Outcome,
		Code: &p.Code, Command: p.Command.record(), Options: p.Options,
		Output: &p.Output, StdoutBytes: p.StdoutBytes, StderrBytes: p.StderrBytes,
		Phase: p.Phase, Progress: p.Progress, Run: p.Number, Enforced: p.Enforced, Usage: p.Usage,
		Interpreter: p.Interpreter, RawOutput: p.RawOutput, Notify: p.Notify.Record(),
		CreatedAt: Stamp{p.CreatedAt}, StartedAt: stamp(p.StartedAt), CompletedAt: stamp(p.CompletedAt),
	}
	if r.Interpreter == "" {
		r.Interpreter = InterpreterGeneric
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	if e := p.Enforced; e != nil && e.Missing == nil {
		r.Enforced = &Enforced{TreeKill: e.TreeKill, Confined: e.Confined, Missing: []string{}}
	}
	if p.Output == nil {
		r.Output = &map[string]any{}
	}
	return r
}

// MarshalJSON writes the record a client sees.
func (p Process) MarshalJSON() ([]byte, error) { return json.Marshal(p.Record()) }

// Record returns the run as clients see it.
func (r *Run) Record() RunRecord {
	return RunRecord{Run: r.Number, ExitState: nilIfZero(r.ExitState), Error: nilIfZero(r.Error),
		Exit: r.Exit, Outcome: r.Outcome, Usage: r.Usage, StdoutBytes: r.StdoutBytes, StderrBytes: r.StderrBytes,
		StartedAt: stamp(r.StartedAt), CompletedAt: stamp(r.CompletedAt)}
}

func (c *Command) record() *CommandRecord {
	if c == nil {
		return nil
	}
	r := &CommandRecord{Program: c.Program, Args: c.Args, Env: make(map[string]string, len(c.Env)), EnvClear: c.EnvClear,
		Dir: nilIfZero(c.Dir), PTY: c.PTY, Window: c.Window, MergeStreams: c.MergeStreams, SuccessCodes: c.SuccessCodes,
		Leftovers: c.Leftovers, HideWindow: c.HideWindow}
	for name := range c.Env {
		r.Env[name] = Redacted
	}
	switch c.Stdin {
	case StdinBytes:
		r.Stdin = new(string)
		*r.Stdin = Redacted
	case StdinInherit, StdinOpen:
		r.Stdin = new(string)
		*r.Stdin = string(c.Stdin)
	}
	if r.Args == nil {
		r.Args = []string{}
	}
	if r.SuccessCodes == nil {
		r.SuccessCodes = []int{0}
	}
	if r.Leftovers == "" {
		r.Leftovers = KillLeftovers
	}
	return r
}
