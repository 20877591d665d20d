// Package keeper starts operating system processes and holds their whole
// trees: it is the parent, it knows when a tree is empty, and its kill means
// dead. It neither reads output nor keeps records.
//
// A tree is held by the strongest means the machine gives, the tier, tried out
// before it is chosen:
//
//	cgroup2    one fresh cgroup v2 directory per run          (Linux)
//	subreaper  one small subreaper process per run + group    (Linux)
//	jobobject  a Job Object, assigned before the first instruction (Windows)
//	pgroup     the process group plus a sweep of descendants  (macOS, last resort)
//
//	           children  setsid  orphaned  env -i, setsid  ends with  told by
//	                                       and orphaned    its host
//	cgroup2    held      held    held      held            no (a)     kernel
//	subreaper  held      held    held      held            yes        subreaper
//	jobobject  held      –       held      held            yes        kernel
//	pgroup     held      held    held (b)  escapes         no         looking
//
// (a) The next spawner of the same name ends what is left; a sandboxed job does
// end with its host. (b) By the mark
// REEVE_RUN, which the tiers subreaper and pgroup add to a job's environment;
// the others pass on exactly the environment given. A job that runs as root
// may move itself to another cgroup: trees are held against negligence and
// cunning, not against the superuser.
//
// A frozen tree is stopped by the kernel's freezer (cgroup2), which nothing in
// it can notice or undo, or by SIGSTOP (subreaper, pgroup), which a parent
// outside the frozen tree could. Job Objects cannot be frozen.
//
// A process is held by pidfd or by (pid, start time), never by a bare pid, and
// no running child costs an operating system thread.
//
// What a program finds: descriptors 0, 1 and 2 and no other; every signal at
// its default; a session of its own, so no terminal; its directory and its
// environment as given. A program's name without a slash is looked up in the
// PATH of the job's own environment (/usr/bin:/bin if that has none), absolute
// entries only; one with a slash is relative to the job's directory.
//
// Package initialisation looks at this process's own name: a program that uses
// this package is also its own subreaper (see internal/subreaper).
//
// What a job may consume and do besides is in limits.go and docs/security.md.
//
// The conformance suite is package keepertest; every Spawner runs it.
package keeper

import (
	"context"
	"os"
	"time"

	"github.com/reeverun/reeve/process"
)

// Tier names how trees are held.
type Tier string

// The tiers, strongest first.
const (
	TierCgroup2   Tier = "cgroup2"
	TierJobObject Tier = "jobobject"
	TierSubreaper Tier = "subreaper"
	TierGroup     Tier = "pgroup"
)

// Spec is a program to start. Nothing in it is parsed. But for its files it
// travels as JSON to a keeper that may be older than its daemon: a field that
// is not used must not show there (omitzero), so that only what such a keeper
// does not know makes it refuse.
type Spec struct {
	Name   string   `json:",omitzero"` // unique among running jobs of the data directory, e.g. "42-1"
	Path   string   `json:",omitzero"` // the program: a path, or a name to be found in Env's PATH
	Args   []string `json:",omitzero"` // without the program's own name
	Env    []string `json:",omitzero"` // the whole environment, "K=V"
	Dir    string   `json:",omitzero"` // empty: the host's
	Stdin  *os.File `json:"-"`         // nil: the null device
	Stdout *os.File `json:"-"`         // nil: the null device
	Stderr *os.File `json:"-"`         // nil: the null device

	// PTY gives the program a terminal of this size for its three streams.
	// What it shows is written to Stdout; Stdin and Stderr are not used. The
	// job is Interactive. Not on Windows.
	PTY *Window `json:",omitzero"`
	// Cooked leaves that terminal as people know it: it echoes what is typed
	// and makes CR LF of a newline. Without it the terminal does neither, so
	// that Stdout gets what the program wrote.
	Cooked bool `json:",omitzero"`
	// StdinPipe makes stdin a pipe that the job's Interactive writes to.
	StdinPipe bool `json:",omitzero"`

	HideWindow bool `json:",omitzero"` // Windows: CREATE_NO_WINDOW

	Limits  Limits  `json:",omitzero"`
	Sandbox Sandbox `json:",omitzero"`
	// Require names what the job must not run without, by the names of
	// Enforced ("tree-kill" is every tier but pgroup): a MissingError then,
	// instead of a job that has less.
	Require []string `json:",omitzero"`
}

// Exit is what the operating system reported of a job's leader.
type Exit struct {
	Code   int    // the exit code; 128+n when a signal ended it
	Signal string // "SIGKILL" and so on; empty when it exited by itself
}

// Usage is what a job's tree consumed, as far as the tier can tell.
type Usage struct {
	CPU time.Duration // of the whole tree; pgroup: of what the leader waited for
	// MaxRSS is the peak, in bytes, of the largest process that the leader
	// or what holds it waited for. 0 is not known: on Linux a child's peak
	// includes that of the process that started it, and is told only if it
	// is higher.
	MaxRSS int64

	// What it holds at the moment, while it is alive; 0 where the system does
	// not tell.
	RSS  int64 // bytes of memory, of all its processes; what they share counts for each
	PIDs int   // how many they are
}

// Spawner starts jobs. It is safe for concurrent use.
type Spawner interface {
	// Spawn starts a program. Its error says what the operating system
	// refused; the program then never ran. The Spec's files stay the
	// caller's and may be closed once Spawn has returned.
	Spawn(ctx context.Context, s Spec) (Job, error)
	// Tier says how this spawner holds trees; Reasons says why not better.
	Tier() Tier
	Reasons() []string
	// Close releases the spawner. It ends what still runs, except where jobs
	// outlive their spawner on purpose (package remote).
	Close() error
}

// Job is a started program with all its descendants. Its methods are safe for
// concurrent use.
type Job interface {
	// PID is the leader's process id, for display.
	PID() int
	// Wait returns when the leader has exited; any number of callers may
	// wait, before or after. Descendants may still run. ErrLost means that
	// its end cannot be known.
	Wait(ctx context.Context) (Exit, error)
	// WaitEmpty returns nil when the leader has exited and no process of the
	// tree is alive, the context's error, or ErrLost if nobody can tell any
	// more: what could be found of the tree has been killed then.
	WaitEmpty(ctx context.Context) error
	// Signal delivers SIGTERM, SIGINT or SIGKILL to every process of the tree
	// and returns how many were reached; an ended tree is 0, nil.
	Signal(s process.Signal) (int, error)
	// Kill ends every process of the tree, again and again until none is
	// left or it gives up after 10 s; it returns at once, WaitEmpty tells
	// the end, Members what is left.
	Kill()
	// Freeze stops every process of the tree where it stands and returns when
	// none executes any more. If that cannot be had, within 5 s or before ctx
	// is over, the tree goes on and the error says why; ErrNoFreeze: not on
	// this system. A Kill does not wait for the Thaw; a signal does, where the
	// program handles it, else it may end the program at once. Freezing a
	// frozen or an ended tree is nil.
	Freeze(ctx context.Context) error
	// Thaw lets a frozen tree go on; any other is nil.
	Thaw() error
	// Members names the living processes of the tree.
	Members() []process.Survivor
	// Usage is what the tree has consumed so far.
	Usage() Usage
	// Enforced says what holds the job back, and what was asked for in vain.
	Enforced() Enforced
	// Killed names the limit that ended some or all of the tree, or is empty.
	// It is known when WaitEmpty has returned, and until Release.
	Killed() Limit
	// Release frees what the job holds of the machine. Call it once, last.
	// It does not block, and ends nothing: what still runs goes on until it
	// ends or the spawner is closed.
	Release()
}
