package process

import (
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
	Resumed     bool      // it goes on from the transcript of those before it
	StartedAt   time.Time
	CompletedAt time.Time
}

// Enforced says how a run was held and what was asked for and missing.
type Enforced struct {
	TreeKill string   `json:"treeKill"`
	Confined []string `json:"confined,omitempty"` // what keeps it from the machine, e.g. "seccomp"
	Missing  []string `json:"missing"`
}

// Usage is what a run consumed.
type Usage struct {
	WallMS      int64 `json:"wallMs"`   // without what follows
	PausedMS    int64 `json:"pausedMs"` // in pauses, and while a person had to decide
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
	Ahead     bool // with Claimed: it has been started only if it has a log
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
	c.Options.Tools = slices.Clone(p.Options.Tools)
	if p.Output != nil {
		c.Output = make(map[string]any, len(p.Output))
		for k, v := range p.Output {
			c.Output[k] = v
		}
	}
	return &c
}
