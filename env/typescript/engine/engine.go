// Package engine is the contract between the TypeScript environment and what
// executes a compiled program: an engine makes children, each a process of the
// operating system that runs one program and is then over. Nothing is shared
// between two of them, and killing one is always possible.
//
// A child reads one [Script] and from then on both sides speak in frames over
// its channel; see [Type]. The parent treats every frame as hostile.
package engine

import (
	"context"
	"io"
	"time"
)

// Engine makes children. Its methods are safe for concurrent use.
type Engine interface {
	// Info says what it is and how its children are held. It is known once
	// Start has returned.
	Info() Info
	// Start readies the engine: what is forked ahead is, when it returns.
	Start(ctx context.Context) error
	// Child returns a fresh child that waits for its script, from those made
	// ahead where there are any.
	Child(ctx context.Context, o Options) (Child, error)
	// Close kills all children and releases the engine. It may be called
	// again, and without Start. It ends the engine for good.
	Close() error
}

// Options of a child that cannot wait for its script.
type Options struct {
	NoJIT bool
}

// Info describes an engine.
type Info struct {
	Name     string   // "v8", "quickjs"
	Version  string   // of the engine, e.g. "13.6.233.10"
	TreeKill string   // how a child is held: "pidfd", "process"
	Confined []string // what keeps a child from the machine, e.g. "seccomp", "landlock", "net-namespace"
	Missing  []string // what does not, each with its reason: "landlock: not supported by this kernel"
}

// Child is one process that runs one program. Kill, Stop, Continue and Wait may
// be called by any goroutine at any time; Read and Write by one each.
type Child interface {
	// The channel. Read ends with io.EOF when the child has.
	io.ReadWriter
	// PID is the operating system's, for showing only.
	PID() int
	// Kill ends it at once. It may be called again and after the end.
	Kill()
	// Stop returns when nothing of it executes any more; Continue undoes it.
	Stop(ctx context.Context) error
	Continue() error
	// Wait returns when it has ended and how; any number of times.
	Wait(ctx context.Context) (Exit, error)
	// Close kills it if it lives, and releases what it holds here. It does not wait.
	Close() error
}

// Metered is a Child whose use of the processor can be told while it runs.
type Metered interface {
	// CPU is the processor time it has used so far; 0 if it has ended.
	CPU() time.Duration
}

// Exit is how a child ended.
type Exit struct {
	Code   int    // -1 if it was killed by a signal
	Signal string // "SIGKILL"; empty: it exited
	CPU    time.Duration
	MaxRSS int64 // bytes
}
