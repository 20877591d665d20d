package subreaper

import (
	"runtime"
	"sync"
)

// spareThreads are more than a worker ever uses at a time.
const spareThreads = 6

// hoardThreads has the Go runtime make the threads it may need later. A job
// that has used up the processes it may have leaves none for its holder, and a
// runtime that cannot make a thread aborts.
func hoardThreads() {
	var up, done sync.WaitGroup
	up.Add(spareThreads)
	all := make(chan struct{})
	for range spareThreads {
		done.Go(func() {
			runtime.LockOSThread() // a goroutine that waits keeps its thread
			defer runtime.UnlockOSThread()
			up.Done()
			<-all
		})
	}
	up.Wait()
	close(all)
	done.Wait()
}
