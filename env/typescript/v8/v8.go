// Package v8 runs programs in V8, each in a process of its own that is forked
// from a zygote.
//
// A zygote is this very executable, started in another mode before the Go
// runtime begins (main.cc): C++ with one thread. It starts V8, evaluates the
// prelude, gives up every right it can (confine.cc), and then forks a child for
// each request on its control socket (zygote.cc). A child is confined further
// (filter.cc, bounds.cc), reads its script, runs it (loop.cc) and ends.
// A few are forked ahead. A zygote that has forked many children is replaced,
// so that not all of them share one layout of memory, and so is one that dies.
//
//	Engine ── nursery (JIT) ──── zygote ─┬─ child, handed out
//	       │                             ├─ child, handed out
//	       │                             └─ child, forked ahead
//	       └─ nursery (no JIT) ─ …
//
// A child has one descriptor, its channel. The Go side holds the other end and
// a pidfd, so that no signal can reach a process that took over a number. The
// zygote reaps its children and reports their ends; when its control socket
// closes, it kills them and ends, however this process came to its own end.
//
// What a machine lacks of the confinement is left out and named in
// engine.Info.Missing. Where V8 is not linked in (without cgo, or off Linux on
// amd64 and arm64) Available is false and Start returns an error.
package v8

import (
	"log/slog"
)

// Config is how an engine is made. Prelude must be set; every other zero value
// is a default.
type Config struct {
	Prelude string // JavaScript: an expression, function(native) → hooks

	Ahead   int // children forked ahead; 4
	Refresh int // forks after which a zygote is replaced; 2000

	// MaxHeap is the largest heap a script may ask for, in bytes; 3.5 GiB,
	// which is what V8 can address with room to spare.
	MaxHeap uint64

	// UID and GID are whom children run as when this process is root; 65534.
	UID, GID int

	Logger     *slog.Logger // discards
	Executable string       // that the zygote is started from; /proc/self/exe

	probe int // for tests of the confinement; see settings.h
}

const (
	defaultAhead   = 4
	defaultRefresh = 2000
	defaultHeap    = 3584 << 20
	nobody         = 65534
)

func (c Config) withDefaults() Config {
	if c.Ahead <= 0 {
		c.Ahead = defaultAhead
	}
	if c.Refresh <= 0 {
		c.Refresh = defaultRefresh
	}
	if c.MaxHeap == 0 || c.MaxHeap > defaultHeap {
		c.MaxHeap = defaultHeap
	}
	if c.UID <= 0 {
		c.UID = nobody
	}
	if c.GID <= 0 {
		c.GID = nobody
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Executable == "" {
		c.Executable = "/proc/self/exe"
	}
	return c
}
