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
	ErrTakenOver = keeper.ErrTakenOver
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
type Info = keeper.Info
