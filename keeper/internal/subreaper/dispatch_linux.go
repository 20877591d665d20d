package subreaper

import (
	"os"
	"syscall"
)

// How a process of this program knows that it was started as a worker: by its
// own name, and by one variable.
const (
	Self      = "/proc/self/exe" // also when the file has been replaced meanwhile
	Name      = "reeve-subreaper"
	ProbeName = "reeve-probe"
	Proof     = "REEVE_WORKER=1"
)

// This is one of the two inits of the project (the other makes a keeper of a
// process, see package remote). A worker must not pay for, nor be
// disturbed by, what the rest of the program does at its start; package
// initialisation is the earliest there is, and this package imports next to
// nothing so that its turn comes soon. In every other process it compares one
// string.
func init() {
	if len(os.Args) != 1 {
		return
	}
	switch os.Args[0] {
	case Name, ProbeName:
	default:
		return
	}
	if os.Getenv("REEVE_WORKER") != "1" {
		return
	}
	if os.Args[0] == ProbeName {
		probe()
	}
	run()
}

// probe waits to be killed, or for the end of its parent.
func probe() {
	var b [1]byte
	for {
		if n, err := syscall.Read(0, b[:]); err != syscall.EINTR && n <= 0 {
			syscall.Exit(0)
		}
	}
}
