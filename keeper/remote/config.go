package remote

import (
	"errors"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// Version is that of the protocol between daemon and keeper. A keeper serves
// clients of its own version only: it outlives daemons, so that a daemon of
// another one meets it and must say so.
const Version = 1

// DefaultIdle is how long a keeper stays without a client and a running job.
const DefaultIdle = 30 * time.Second

var (
	// ErrVersion is what Connect answers when a keeper of another version
	// runs. Its jobs are untouched.
	ErrVersion = errors.New("the keeper speaks another version of the protocol")
	// ErrTakenOver is what a client's jobs and calls answer when another
	// client has taken its place. The jobs go on.
	ErrTakenOver = errors.New("another daemon has taken over the keeper")
)

// Config says which keeper, and how it is started if there is none.
type Config struct {
	// Dir is the keeper's own directory, made (0700) if it is missing. It
	// holds a lock, a socket, a log of the keeper's own troubles, and a file
	// for each job.
	Dir string
	// Build names this program's build to the other side, for people.
	Build string
	// Executable is started as the keeper; it must be linked with this
	// package. Empty is this very program, also when its file has been
	// replaced.
	Executable string
	// Tier forces one; empty is the best that works here. NoGroup is as in
	// keeper.Options. Both count when the keeper is started.
	Tier    keeper.Tier
	NoGroup bool
	// Idle is how long the keeper stays without client and running job; zero
	// is DefaultIdle.
	Idle time.Duration
}

// Info is what a keeper knows of a job.
type Info struct {
	Name    string       `json:"name"`
	Trace   keeper.Trace `json:"trace"` // PID and Tier are in it; PID 0: it never got to run, as far as anybody knows
	Started time.Time    `json:"started,omitzero"`

	Exit   *keeper.Exit `json:"exit,omitempty"` // nil while the leader runs, and if Lost
	Lost   bool         `json:"lost,omitempty"` // the leader has ended, and nobody knows how
	Exited time.Time    `json:"exited,omitzero"`
	Empty  bool         `json:"empty,omitempty"`  // no process of the tree is left
	Unsure bool         `json:"unsure,omitempty"` // that it is empty could not be seen; what was found is dead
	Usage  keeper.Usage `json:"usage,omitzero"`   // at the end
	Killed keeper.Limit `json:"killed,omitempty"` // the limit that ended it; at the end

	Enforced keeper.Enforced `json:"enforced,omitzero"`

	Frozen   bool `json:"frozen,omitempty"`
	Orphaned bool `json:"orphaned,omitempty"` // an earlier keeper started it and is dead
	Released bool `json:"released,omitempty"` // its owner has given it up; it goes when it has ended
}

// Running reports whether processes of the job may be alive.
func (i Info) Running() bool { return !i.Empty }
