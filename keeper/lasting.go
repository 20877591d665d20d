package keeper

import (
	"errors"
	"time"
)

// ErrTakenOver is what the jobs of a Lasting spawner answer when another one
// has taken its place. They go on.
var ErrTakenOver = errors.New("another daemon has taken over the keeper")

// Lasting is a Spawner whose jobs outlive it: Close leaves them running, and a
// later one of the same directory finds them.
type Lasting interface {
	Spawner
	// Jobs is what there is of jobs that have not been released, whoever
	// started them.
	Jobs() []Info
	// Adopt returns one of them, as if this spawner had started it. A name
	// that Jobs does not show is process.ErrNotFound.
	Adopt(name string) (Job, error)
}

// Countable is a Job that can tell how many are alive without naming them; every
// Job of this package and of package remote is.
type Countable interface {
	Job
	Count() int
}

// Lasted is what the jobs of a Lasting spawner are besides.
type Lasted interface {
	Job
	Info() Info
}

// Info is what is known of a job that may outlive who started it.
type Info struct {
	Name    string    `json:"name"`
	Trace   Trace     `json:"trace"` // PID and Tier are in it; PID 0: it never got to run, as far as anybody knows
	Started time.Time `json:"started,omitzero"`

	Exit   *Exit     `json:"exit,omitempty"` // nil while the leader runs, and if Lost
	Lost   bool      `json:"lost,omitempty"` // the leader has ended, and nobody knows how
	Exited time.Time `json:"exited,omitzero"`
	Empty  bool      `json:"empty,omitempty"`  // no process of the tree is left
	Unsure bool      `json:"unsure,omitempty"` // that it is empty could not be seen; what was found is dead
	Usage  Usage     `json:"usage,omitzero"`   // at the end
	Killed Limit     `json:"killed,omitempty"` // the limit that ended it; at the end

	Enforced Enforced `json:"enforced,omitzero"`

	Frozen   bool `json:"frozen,omitempty"`
	Orphaned bool `json:"orphaned,omitempty"` // an earlier keeper started it and is dead
	Released bool `json:"released,omitempty"` // its owner has given it up; it goes when it has ended
}

// Running reports whether processes of the job may be alive.
func (i Info) Running() bool { return !i.Empty }
