package process

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ID names a process. Ids start at 1, increase, and are never reused.
// Zero is the kernel's init, which owns orphans and is no process of a client.
type ID int64

// String returns the decimal form.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseID reads the decimal form of a client's process id: "12abc", "0",
// "-1" and "007" are refused.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, Invalid("id", "%q is not a process id: want a whole number from 1", s)
	}
	return ID(n), nil
}

// State is what a client sees of a process.
type State string

// The client-facing states.
const (
	Idle        State = "idle"        // never run, or finished
	Queued      State = "queued"      // accepted, waiting for its environment
	Running     State = "running"     // executing, also while paused
	Terminating State = "terminating" // a kill is in flight
)

// States lists every State.
func States() []State { return []State{Idle, Queued, Running, Terminating} }

// ParseState reads a State by name.
func ParseState(s string) (State, error) {
	return parseName("state", s, States())
}

// ExitState is how a run ended, as a client sees it. Empty means no outcome yet.
type ExitState string

// The exit states.
const (
	ExitNone     ExitState = ""
	ExitSuccess  ExitState = "success"
	ExitFailed   ExitState = "failed"
	ExitTimeout  ExitState = "timeout"
	ExitCanceled ExitState = "canceled"
)

// ExitStates lists every ExitState except ExitNone.
func ExitStates() []ExitState { return []ExitState{ExitSuccess, ExitFailed, ExitTimeout, ExitCanceled} }

// ParseExitState reads an ExitState by name; "null" is ExitNone.
func ParseExitState(s string) (ExitState, error) {
	if s == "null" {
		return ExitNone, nil
	}
	e, err := parseName("status", s, append(ExitStates(), "null"))
	return e, err
}

// Lifecycle is the kernel's state of a run.
type Lifecycle int

// The lifecycle states, in the only order they may be passed through.
const (
	LifecycleCreated Lifecycle = iota
	LifecycleRunning
	LifecycleZombie
	LifecycleDead
)

var lifecycleNames = [...]string{"created", "running", "zombie", "dead"}

// String returns the state's name.
func (l Lifecycle) String() string {
	if l < 0 || int(l) >= len(lifecycleNames) {
		return fmt.Sprintf("lifecycle(%d)", int(l))
	}
	return lifecycleNames[l]
}

// MarshalText writes the state's name.
func (l Lifecycle) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the state's name.
func (l *Lifecycle) UnmarshalText(b []byte) error {
	i := slices.Index(lifecycleNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown lifecycle %q", b)
	}
	*l = Lifecycle(i)
	return nil
}

// Next reports whether a run may go from l to to: only one step forward.
// Every other move is a *SyscallError of code INTERNAL.
func (l Lifecycle) Next(to Lifecycle) error {
	if to == l+1 && l >= LifecycleCreated && to <= LifecycleDead {
		return nil
	}
	return &SyscallError{Syscall: "transition", Code: CodeInternal,
		Err: fmt.Errorf("illegal transition from %s to %s", l, to)}
}

func parseName[T ~string](what, s string, all []T) (T, error) {
	if slices.Contains(all, T(s)) {
		return T(s), nil
	}
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = string(v)
	}
	return "", Invalid(what, "%q is not a %s: want one of %s", s, what, strings.Join(names, ", "))
}
