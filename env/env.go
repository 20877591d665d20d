// Package env is the contract between the kernel and what executes a run: an
// environment. The kernel owns ids, records, states, clocks, the decoding and
// merging of output, and the verdict; an environment runs one thing at a time
// per [Input] and reports through its [Host].
//
// The conformance suite is package envtest; every environment runs it, the
// scriptable fake (package envfake) included.
package env

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/reeverun/reeve/process"
)

// Environment executes runs. Its methods are safe for concurrent use.
type Environment interface {
	// Setup is called once, before any Execute.
	Setup(ctx context.Context) error

	// Execute runs in and returns when nothing of it is left running; it
	// resolves exactly once. An error means the run failed, its text is the
	// process's error. A Result without a state means failed.
	//
	// ctx is cancelled when the run shall end: by a cancel
	// (process.ErrCanceled) or because the host's clock, which does not run
	// while queued or paused, passed the timeout (process.ErrTimeout);
	// context.Cause tells which. The environment then asks its work to stop
	// as gently as it can. After the grace the host calls Kill.
	Execute(ctx context.Context, in Input, h Host) (Result, error)

	// Kill ends a run at once. It returns promptly, may be called again, and
	// ignores ids it does not know; the outstanding Execute resolves.
	Kill(eid process.ID)

	// Docs tells, in Markdown, how to write code for this environment.
	Docs() string

	// Teardown ends what still runs and releases the environment.
	Teardown(ctx context.Context) error
}

// Signaler is an Environment that can pass SIGTERM and SIGINT to a running
// program; what comes of it is the program's affair. Runs of any other are
// canceled by them.
type Signaler interface {
	// Signal returns when the signal is sent. It ignores ids it does not know.
	Signal(eid process.ID, s process.Signal) error
}

// Pauser is an Environment that can hold a run where it stands. The host calls
// Pause and Resume of one run in turn, never both at once, and between Started
// and the end of Execute; the run may end meanwhile.
type Pauser interface {
	// Pause returns when nothing of the run executes any more, or an error,
	// and then the run goes on; a *process.Error of code invalid_request
	// says that it cannot be paused. ctx is over when the run shall end. An
	// environment that pauses at certain points only need not wait until it
	// is there, unless now is set: it does nothing after the next one.
	//
	// A paused run that shall end (the context of its Execute is cancelled)
	// is asked to stop and then goes on without a Resume; from there on
	// Pause is process.ErrNotRunning. Kill ends it as it stands.
	Pause(ctx context.Context, eid process.ID, now bool) error
	// Resume lets the run go on. It ignores ids it does not know and runs
	// that are not paused.
	Resume(eid process.ID) error
}

// Interactor is an Environment of which some runs take input while they run, as
// from a keyboard. The host calls it between Started and the end of Execute; the
// run may end meanwhile. A run that takes no input, or no more, is
// process.ErrNoInput. Paused runs take what there is room for.
type Interactor interface {
	// Input writes to the run's input and returns how much was taken. It waits
	// for a program that does not read until ctx is over. Several callers take
	// turns.
	Input(ctx context.Context, eid process.ID, p []byte) (int, error)
	// CloseInput ends the input; to a terminal it sends the end-of-file
	// character. It comes after what Input has taken.
	CloseInput(ctx context.Context, eid process.ID) error
	// Resize changes the size of the run's terminal.
	Resize(eid process.ID, w process.Window) error
}

// Enclosed is an Environment whose runs reach nothing but by their Host. The
// host may begin such a run while its creation is still being stored, and holds
// back what it asks for until that is done.
type Enclosed interface {
	Environment
	Enclosed()
}

// Resumable is an Environment whose runs can go on under another host from what
// they remembered (Host.Remember): Input.Resume then says so. A run of it that
// is paused outlives its host, and is still paused under the next one; any other
// goes on when it is asked to, as a new run.
type Resumable interface {
	Environment
	Resumable()
}

// ErrDetached is what Execute returns when the run goes on, and this host has no
// more to do with it: the host ends, or another one has taken the run over.
var ErrDetached = errors.New("the run goes on without this host")

// ErrLost is what Execute returns, wrapped or not, when the run is over and
// nobody can know how it ended.
var ErrLost = errors.New("nobody knows how the run ended")

// Reattacher is an Environment whose runs go on when their host is gone. The
// next one finds them by Held and takes each up by an Execute whose Input says
// so: it resolves as if this host had begun the run.
//
// A host that ends cancels the contexts of its runs with the cause ErrDetached:
// Execute then returns ErrDetached, and the run goes on. One that is just being
// begun is begun first.
type Reattacher interface {
	Environment
	// Held returns what there is of a run that an earlier host began. There is
	// nothing of one that was not begun, or is forgotten.
	Held(eid process.ID, run int) (Held, bool)
	// Forget says that the end of a run is stored: until then an environment
	// keeps what it knows of it. It does not block.
	Forget(eid process.ID, run int)
	// Sweep is called once, when the host has taken up what it knows. It ends
	// and forgets what is held besides, and returns how many runs that were.
	Sweep(ctx context.Context, known func(eid process.ID, run int) bool) int
}

// Held is what an environment holds of a run that an earlier host began.
type Held struct {
	// Started is when it began. Zero: only its host could know, and it did if its
	// start was stored.
	Started time.Time
	Ended   time.Time // zero: it runs
}

// Supervisor is an Environment whose runs end their children themselves, in an
// order of their own, when they are asked to end. Until such a run is killed, or
// has ended, the host leaves its children to it, and gives it the time that takes.
type Supervisor interface {
	Environment
	Supervises()
}

// Meter is an Environment that knows how much processor time a run has used so
// far, with all its processes.
type Meter interface {
	CPU(eid process.ID) time.Duration
}

// Sampler is an Environment that knows what a run uses at the moment.
type Sampler interface {
	// Sample reports what a run uses; not ok says that it cannot be told now.
	// It may be called every second.
	Sample(eid process.ID) (s Sample, ok bool)
}

// Sample is what a run uses. What is not known is 0.
type Sample struct {
	CPU  time.Duration // so far
	RSS  int64         // bytes of memory, of all its processes
	PIDs int           // of the operating system
}

// Counter is an Environment that knows how many processes of the operating
// system a run consists of.
type Counter interface {
	Members(eid process.ID) int
}

// Checker is an Environment that can refuse a spec before it is stored.
type Checker interface {
	// Check returns a *process.Error that names the field, or nil.
	Check(s *process.Spec) error
}

// Enforcer is an Environment that heeds Options.Sandbox and Options.Require: its
// Check refuses names it does not know, and a run that cannot have what it
// requires is a SpawnError. For any other environment both are refused.
type Enforcer interface {
	Checker
	Enforces()
}

// Input is what one run executes.
type Input struct {
	EID  process.ID // the process's id
	Run  int
	Spec *process.Spec // secrets included; not to be changed

	// Earlier is the structured output of the run before, nil in the first; with
	// Reattach it is that of this run, as far as the earlier host has stored it.
	Earlier map[string]any

	// Resume says that the run goes on from its transcript; see Resumable.
	Resume bool
	// Paused says that the run begins paused, as an earlier host left it: it
	// calls Started when Pause, Resume and Kill reach it, and does nothing else
	// before Resume. Only a Resumable that is a Pauser is given it.
	Paused bool

	// Reattach says that an earlier host began the run, and that it is to be
	// taken up; see Reattacher. Paused then says whether it is to be paused.
	Reattach bool

	// Payload is a Go value that came with the spec, for environments that
	// run Go code. It is not stored: a later host does not have it.
	Payload any
}

// Result is how a run ended.
type Result struct {
	State     process.ExitState  // ExitNone means failed
	Exit      *process.Exit      // code, reason and signal, where there are any
	Survivors []process.Survivor // still alive after the kill
	Usage     process.Usage      // CPU and memory; the host knows the time
	Ended     time.Time          // if that was before Execute could tell; zero: now
	Findings  []process.Finding  // evidence beside that of the output; the host knows the time
}

// SpawnError says that a run could not be started: nothing of it ran.
type SpawnError struct{ Err error }

// Error is the cause's text.
func (e *SpawnError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SpawnError) Unwrap() error { return e.Err }

// Host is the run's way back to the kernel. It belongs to one run: calls after
// that run has ended are ignored.
type Host interface {
	// Started says that the run executes. pid is the operating system's, 0
	// where there is none. It must come before any output.
	Started(pid int, e process.Enforced)
	// Exited says what the operating system reported of the leader; output
	// may still follow.
	Exited(e process.Exit)

	// File returns the append-only file of a stream, to be handed to a child
	// process that writes by itself, or nil where the platform or policy has
	// none and Write must be used. The host closes it.
	File(s process.Stream) (*os.File, error)
	// Write appends a chunk to a stream. The host decodes, per stream,
	// across chunks.
	Write(s process.Stream, chunk []byte) error
	// Output merges structured output, shallowly, key by key.
	Output(data map[string]any)

	// Call calls a tool for the run: permission first, asking a person where
	// the policy says so, which stops the run's clock. It returns when the
	// tool has answered or ctx is over, with a *process.ToolError when it has
	// no result. The run gives its slot up meanwhile. Calls run side by side.
	Call(ctx context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error)

	// Spawn creates a process below the run's own and starts it. It takes no
	// slot. Spec.Parent is set by the host; Options.Tools may only narrow what
	// the run has, and is that where it is nil. Whether the run may start such
	// a process at all is for the environment to check.
	Spawn(ctx context.Context, s process.Spec) (process.ID, error)
	// SpawnWith is Spawn with a Go value for the child's environment; see
	// Input.Payload.
	SpawnWith(ctx context.Context, s process.Spec, payload any) (process.ID, error)
	// Await waits until a child that Spawn returned has finished, and returns
	// its record and the ends of its output. The run gives its slot up
	// meanwhile. Any other id is process.ErrNotFound.
	Await(ctx context.Context, child process.ID) (Ended, error)
	// Signal sends a signal to a child that Spawn returned; SIGKILL ends it
	// with all below it. Any other id is process.ErrNotFound.
	Signal(ctx context.Context, child process.ID, s process.Signal) error
	// Cancel asks a child that Spawn returned to end, with all below it, and
	// ends it by force after its grace. Any other id is process.ErrNotFound, one
	// that is idle process.ErrAlreadyIdle.
	Cancel(ctx context.Context, child process.ID) error
	// Rerun runs a child that Spawn returned, and that is idle, again, and returns
	// the number of that run; what its earlier runs left is kept. Any other id is
	// process.ErrNotFound.
	Rerun(ctx context.Context, child process.ID, a Again) (run int, err error)
	// Children returns the records of all children, oldest first: those that
	// Spawn returned, in any run and under any host, unless they were deleted.
	Children(ctx context.Context) ([]process.Process, error)
	// Read returns up to limit bytes of what a child that Spawn returned wrote
	// in its newest run, from an offset on, also while it runs; next is where
	// to go on, over says that nothing follows.
	Read(ctx context.Context, child process.ID, s process.Stream, offset int64, limit int) (data []byte, next int64, over bool, err error)

	// Emit records an event of the run's own: a step, progress, a label, a
	// warning, a summary. Other payloads are ignored.
	Emit(p process.Payload)
	// Spend adds to the tokens that the run and all above it have used. It is
	// process.ErrBudget once a budget is used up; the run is then being ended.
	Spend(ctx context.Context, tokens int64) error
	// Remember adds messages to the process's transcript, and returns when they
	// are durable. The host numbers them.
	Remember(ctx context.Context, messages ...process.Message) error
	// Transcript returns what the process remembered, in all its runs.
	Transcript(ctx context.Context) ([]process.Message, error)

	// Block has a signal to the run wait until Unblock, which delivers it:
	// once, however often it came. Handle has f called with a signal instead
	// of what it does else; nil is the default again. Handlers are called one
	// at a time, in order. SIGKILL can be neither blocked nor handled: that is
	// process.ErrInvalid.
	Block(s process.Signal) error
	Unblock(s process.Signal) error
	Handle(s process.Signal, f func(process.Signal)) error

	// Timing returns the run's waits, defaults filled in.
	Timing() Timing
}

// Again says why a child is run again, for its parent's log, and with what.
type Again struct {
	Restart int        // how often it has been, this time included; 0: it is no restart
	Because process.ID // the child whose end led to it; 0: none
	Payload any        // see Input.Payload
}

// Ended is a child that has finished.
type Ended struct {
	Process        *process.Process
	Stdout, Stderr []byte // at most the last 64 KiB
}

// Timing holds the waits of a run's end.
type Timing struct {
	Grace time.Duration
	Drain time.Duration
}
