package keeper

import (
	"errors"
	"strings"
)

// ErrLost is what Wait and WaitEmpty answer when whoever held the job is gone
// before it could tell the end: a guess would be worse. (Spawn answers it when
// whoever should start the job is gone in the middle of it: package remote.)
var ErrLost = errors.New("the holder of the job is gone: how it ended is unknown")

// ErrNoFreeze is what Freeze answers where trees cannot be frozen.
var ErrNoFreeze = errors.New("process trees cannot be frozen on this system")

// ErrNoInput is what Interactive answers for a job that was started without an
// input, or whose input is closed.
var ErrNoInput = errors.New("the job takes no input")

// What a SpawnError's Op may be.
const (
	OpCheck = "check" // the Spec cannot be given to any program
	OpFind  = "find"  // the program is not in the PATH
	OpChdir = "chdir" // the working directory
	OpExec  = "exec"  // the program itself
	OpHold  = "hold"  // what holds the tree: a cgroup, a subreaper, a Job Object

	OpConfine = "confine" // its limits or its sandbox
	OpRequire = "require" // something the Spec requires; the cause is a MissingError
)

// MissingError says that a job was not started, since what it requires cannot
// be had on this machine, for this user.
type MissingError struct {
	Names []string // each with its reason: "pids: no cgroup controller …"
}

// Error names what is missing.
func (e *MissingError) Error() string {
	return "this machine cannot enforce " + strings.Join(e.Names, "; ")
}

// SpawnError says which step of a start was refused. It unwraps to the
// operating system's errno, exec.ErrNotFound or the like, so that fs.ErrNotExist
// and fs.ErrPermission match where they should.
type SpawnError struct {
	Op   string
	Path string // the program or the directory
	Err  error
	Hint string // what to do about it, where a person can act
}

// Error names the step, the path, the cause and the hint.
func (e *SpawnError) Error() string {
	s := e.Op
	if e.Path != "" {
		s += " " + e.Path
	}
	s += ": " + e.Err.Error()
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *SpawnError) Unwrap() error { return e.Err }
