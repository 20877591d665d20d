package doctor

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// onThrowAwayThread runs f on an operating system thread that ends with it, so
// f may confine it for good. The runtime makes no thread from a locked one, so
// nothing inherits what f did.
func onThrowAwayThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if unix.Gettid() != os.Getpid() {
			done <- f()
			return
		}
		// The main thread cannot end. While this goroutine occupies it,
		// another one is elsewhere.
		done <- onThrowAwayThread(f)
		runtime.UnlockOSThread()
	}()
	return <-done
}
