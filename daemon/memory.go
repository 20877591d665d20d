package daemon

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// How often a look is taken at the memory, how much must be idle to be worth a
// collection, and how long one is left alone after it.
const (
	lookEach   = 5 * time.Second
	worthIdle  = 8 << 20
	restBefore = 20 * time.Second
)

// startTidying gives memory that is not in use back to the system whenever it is
// quiet: after a burst the Go runtime keeps twice of what is needed, as it must
// for the next one, and a daemon whose processes sleep would do so for good. What
// it returns ends that.
func startTidying() (end func()) {
	quit := make(chan struct{})
	var tidying sync.WaitGroup
	tidying.Go(func() {
		look := time.NewTicker(lookEach)
		defer look.Stop()
		last, before := time.Now(), readMemory()
		for {
			select {
			case <-look.C:
			case <-quit:
				return
			}
			now := readMemory()
			if time.Since(last) >= restBefore && now.wasteful(before) {
				debug.FreeOSMemory()
				last, now = time.Now(), readMemory()
			}
			before = now
		}
	})
	return func() {
		close(quit)
		tidying.Wait()
	}
}

// memory is how the heap stands, in bytes.
type memory struct {
	allocated uint64 // ever
	live      uint64 // after the last collection
	held      uint64 // from the system
}

func readMemory() memory {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	v := func(i int) uint64 { return s[i].Value.Uint64() }
	return memory{allocated: v(0), live: v(1), held: v(2) + v(3) + v(4)}
}

// wasteful reports whether more is held than is needed, and far more than has
// been allocated since the memory was as before.
func (m memory) wasteful(before memory) bool {
	if m.held < m.live {
		return false
	}
	idle := m.held - m.live
	return idle >= max(worthIdle, m.live/4) && m.allocated-before.allocated < idle/4
}
