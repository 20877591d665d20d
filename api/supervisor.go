package api

import "github.com/reeverun/reeve/process"

// Supervisor is the body of POST /supervisors, and the code of a process of the
// environment supervisor: processes to start, in their order, and what to do when
// one of them ends.
type Supervisor struct {
	Name        string   `json:"name,omitempty" maxLength:"100" doc:"What people call it. Its process's label, unless that has one."`
	Ref         *string  `json:"ref,omitempty" doc:"A name that no other existing process carries, for the supervisor's process."`
	Tags        []string `json:"tags,omitempty" maxItems:"100" nullable:"false" doc:"Of the supervisor's process. Its children have tags of their own."`
	Strategy    string   `json:"strategy,omitempty" enum:"one_for_one,one_for_all,rest_for_one" default:"one_for_one" doc:"Which children are run again when one is to be: that one, all, or that one and those after it."`
	MaxRestarts *int     `json:"maxRestarts,omitempty" minimum:"0" default:"3" doc:"How many restarts there may be within the window. One more ends the supervisor, with all its children."`
	Window      Span     `json:"window,omitzero" minimum:"1" doc:"Milliseconds, or a duration such as 5s, which is the default."`
	Backoff     *Backoff `json:"backoff,omitempty" doc:"How long a restart waits."`
	Children    []Child  `json:"children" nullable:"false" minItems:"1" doc:"They are started in this order, and ended in the reverse one."`
}

// Backoff is how long the restarts of a child wait: longer each time, until it
// has lived for longer than the window.
type Backoff struct {
	Initial Span     `json:"initial,omitzero" minimum:"0" doc:"Of the first restart. Default 200ms."`
	Max     Span     `json:"max,omitzero" minimum:"0" doc:"Of any. Default 30s."`
	Factor  *float64 `json:"factor,omitempty" minimum:"1" doc:"From one to the next. Default 2."`
	Jitter  *float64 `json:"jitter,omitempty" minimum:"0" maximum:"1" doc:"By which share it varies at random, up and down. Default 0.2."`
}

// Child is one process of a Supervisor: what POST /processes takes, but for
// autorun, block and parent, or another supervisor.
type Child struct {
	Name       string            `json:"name" minLength:"1" maxLength:"100" doc:"No other child of the supervisor has it. Its process's label, unless that has one."`
	Restart    string            `json:"restart,omitempty" enum:"permanent,transient,temporary" default:"permanent" doc:"permanent: run again whenever it ends; transient: when it fails or times out; temporary: never."`
	Shutdown   Span              `json:"shutdown,omitzero" minimum:"0" doc:"How long it has to end when it is asked to, instead of options.grace. 0: it is killed at once."`
	Supervisor *Supervisor       `json:"supervisor,omitempty" doc:"Another supervisor, instead of everything else."`
	Dir        string            `json:"cwd,omitempty" doc:"The working directory of a command or of a script for the shell."`
	Env        map[string]string `json:"env,omitempty" doc:"Variables to set for it. Values are stored encrypted and never shown."`
	Create
}

// What a Supervisor that does not say has.
const (
	DefaultStrategy    = OneForOne
	DefaultMaxRestarts = 3
	DefaultWindowMS    = 5000
	DefaultInitialMS   = 200
	DefaultMaxMS       = 30000
	DefaultFactor      = 2.0
	DefaultJitter      = 0.2
)

// The strategies, and when a child is run again.
const (
	OneForOne  = "one_for_one"
	OneForAll  = "one_for_all"
	RestForOne = "rest_for_one"

	Permanent = "permanent"
	Transient = "transient"
	Temporary = "temporary"
)

// Span is a number of milliseconds or a duration as Go writes it.
type Span struct{ Millis }

// SpanMS is a given number of milliseconds.
func SpanMS(n int64) Span { return Span{MS(n)} }

// Or returns the given number of milliseconds, or another.
func (s Span) Or(n int64) int64 {
	if !s.Set || s.Null {
		return n
	}
	return s.N
}

// SupervisorRecord is a supervisor with its children, as far as they have been
// started.
type SupervisorRecord struct {
	ID          process.ID     `json:"id" doc:"Of its process."`
	Name        string         `json:"name"`
	Strategy    string         `json:"strategy" enum:"one_for_one,one_for_all,rest_for_one"`
	MaxRestarts int            `json:"maxRestarts"`
	WindowMS    int64          `json:"windowMs"`
	Process     process.Record `json:"process"`
	Children    []ChildRecord  `json:"children" nullable:"false"`
}

// ChildRecord is how a child of a supervisor is.
type ChildRecord struct {
	Name      string             `json:"name"`
	Restart   string             `json:"restart" enum:"permanent,transient,temporary"`
	Process   *process.ID        `json:"process" doc:"null: it has not been started."`
	State     *process.State     `json:"state"`
	ExitState *process.ExitState `json:"exitState"`
	Restarts  int                `json:"restarts" doc:"How often the supervisor has run it again."`
	Run       int                `json:"run" doc:"The number of its newest run."`
}

// Supervisors is a page of supervisors, newest first.
type Supervisors struct {
	Supervisors []SupervisorRecord `json:"supervisors" nullable:"false"`
	NextCursor  *string            `json:"nextCursor" doc:"The cursor of the next page; null on the last one."`
}
