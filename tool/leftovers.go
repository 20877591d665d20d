package tool

import (
	"sync"
	"sync/atomic"
)

// maxLeft is how many calls that were given up may go on in one service. They
// hold what they were given, and a caller can give up any number.
const maxLeft = 100

// leftovers counts the calls that go on though nobody waits for them.
type leftovers struct{ n atomic.Int64 }

func (l *leftovers) count() int64 { return l.n.Load() }

// begin returns what each side of a call does when it is through with it: who
// waits, and who performs it, which may say so twice. Where the first is through
// before the second, the call is left over in between.
func (l *leftovers) begin() (waited, performed func()) {
	var over atomic.Bool
	waited = func() {
		if !over.Swap(true) {
			l.n.Add(1)
		}
	}
	performed = sync.OnceFunc(func() {
		if over.Swap(true) {
			l.n.Add(-1)
		}
	})
	return waited, performed
}
