package process

import (
	"encoding/json"
	"slices"
	"time"
)

// Run is one execution of a process. The zero Run is a process never run.
type Run struct {
	Number      int
	Lifecycle   Lifecycle
	ExitState   ExitState
	Error       string
	Exit        *Exit
	Outcome     *Outcome
	Output      map[string]any
	StdoutBytes int64
	StderrBytes int64
	Phase       *Phase
	Progress    Progress
	Enforced    *Enforced
	Usage       Usage
	Captured    RawOutput // the policy its output was captured under
	LogsPruned  bool      // the raw logs were removed by retention
	StartedAt   time.Time
	CompletedAt time.Time
}

// Enforced says how a run was held and what was asked for and missing.
type Enforced struct {
	TreeKill string   `json:"treeKill"`
	Missing  []string `json:"missing"`
}

// Usage is what a run consumed.
type Usage struct {
	WallMS      int64 `json:"wallMs"` // without pauses
	PausedMS    int64 `json:"pausedMs"`
	CPUMS       int64 `json:"cpuMs"`
	MaxRSSBytes int64 `json:"maxRssBytes"`
	Tokens      int64 `json:"tokens"`
}

// Process is a process with its newest run.
type Process struct {
	ID ID
	Spec
	State     State
	Claimed   bool // a queued process that may have been started already
	Paused    bool
	PausedAt  time.Time
	CreatedAt time.Time
	LastSeq   int64 // of its newest event
	Run
}

// HasTag reports whether the process carries a tag.
func (p *Process) HasTag(tag string) bool { return slices.Contains(p.Tags, tag) }

// HasOutputs reports whether running the process again would hide something
// the newest run left.
func (p *Process) HasOutputs() bool {
	return p.ExitState != ExitNone || len(p.Output) > 0 || p.StdoutBytes > 0 || p.StderrBytes > 0
}

// Clone returns a copy that shares nothing mutable with p.
func (p *Process) Clone() *Process {
	c := *p
	c.Tags = slices.Clone(p.Tags)
	if p.Output != nil {
		c.Output = make(map[string]any, len(p.Output))
		for k, v := range p.Output {
			c.Output[k] = v
		}
	}
	return &c
}

// record is a process as clients see it: every key present, absent values null.
type record struct {
	ID          ID             `json:"id"`
	Ref         *string        `json:"ref"`
	Parent      *ID            `json:"parent"`
	Environment string         `json:"environment"`
	Label       *string        `json:"label"`
	Tags        []string       `json:"tags"`
	Priority    int            `json:"priority"`
	State       State          `json:"state"`
	ExitState   *ExitState     `json:"exitState"`
	Lifecycle   Lifecycle      `json:"lifecycle"`
	Paused      bool           `json:"paused"`
	PausedAt    *time.Time     `json:"pausedAt"`
	Error       *string        `json:"error"`
	Exit        *Exit          `json:"exit"`
	Outcome     *Outcome       `json:"outcome"`
	Code        string         `json:"code"`
	Command     *Command       `json:"command"`
	Options     Options        `json:"options"`
	Output      map[string]any `json:"output"`
	StdoutBytes int64          `json:"stdoutBytes"`
	StderrBytes int64          `json:"stderrBytes"`
	Phase       *Phase         `json:"phase"`
	Progress    Progress       `json:"progress"`
	Run         int            `json:"run"`
	Enforced    *Enforced      `json:"enforced"`
	Usage       Usage          `json:"usage"`
	CreatedAt   time.Time      `json:"createdAt"`
	StartedAt   *time.Time     `json:"startedAt"`
	CompletedAt *time.Time     `json:"completedAt"`
	Interpreter string         `json:"interpreter,omitempty"`
	RawOutput   RawOutput      `json:"rawOutput,omitempty"`
}

// MarshalJSON writes the record a client sees. Output bytes are not part of
// it: they live in the logs.
func (p Process) MarshalJSON() ([]byte, error) {
	r := record{
		ID: p.ID, Ref: nilIfZero(p.Ref), Parent: nilIfZero(p.Parent), Environment: p.Environment,
		Label: nilIfZero(p.Label), Tags: p.Tags, Priority: p.Priority,
		State: p.State, ExitState: nilIfZero(p.ExitState), Lifecycle: p.Lifecycle,
		Paused: p.Paused, PausedAt: nilIfZero(p.PausedAt),
		Error: nilIfZero(p.Error), Exit: p.Exit, Outcome: p.Outcome,
		Code: p.Code, Command: p.Command, Options: p.Options,
		Output: p.Output, StdoutBytes: p.StdoutBytes, StderrBytes: p.StderrBytes,
		Phase: p.Phase, Progress: p.Progress, Run: p.Number, Enforced: p.Enforced, Usage: p.Usage,
		CreatedAt: p.CreatedAt, StartedAt: nilIfZero(p.StartedAt), CompletedAt: nilIfZero(p.CompletedAt),
		Interpreter: p.Interpreter, RawOutput: p.RawOutput,
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	if r.Output == nil {
		r.Output = map[string]any{}
	}
	return json.Marshal(r)
}
