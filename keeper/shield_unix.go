//go:build unix

package keeper

import (
	"os"
	"os/signal"
	"syscall"
)

// shield keeps what this process inherited away from its children, and returns
// what undoes it.
//
// Descriptors: Go opens its own with close-on-exec; those that came from this
// process's parent are marked here. Signals: an ignored one stays ignored
// across exec, a handled one becomes default. So what is ignored here is
// handled here instead, by dropping it, which is the same for this process and
// right for its children.
func shield() (undo func()) {
	closeOnExec()
	var ignored []os.Signal
	for n := syscall.Signal(1); n < 32; n++ {
		if n != syscall.SIGKILL && n != syscall.SIGSTOP && signal.Ignored(n) {
			ignored = append(ignored, n)
		}
	}
	if len(ignored) == 0 {
		return func() {}
	}
	drop := make(chan os.Signal, 1) // Notify never blocks on a full channel
	signal.Notify(drop, ignored...)
	return func() {
		signal.Stop(drop)
		signal.Ignore(ignored...)
	}
}
