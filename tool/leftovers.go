package tool

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// maxLeft is how many calls that were given up may go on in one service. They
// hold what they were given, and a caller can give up any number.
const maxLeft = 100

// leftovers counts the calls that go on though nobody waits for them, and those
// that were given up since one was answered: an adapter may return from such a
// call and leave something of it behind.
type leftovers struct{ n, unanswered atomic.Int64 }

// tooMany says why no more calls are to be made by a connection, or is empty.
func (l *leftovers) tooMany() string {
	if n := l.n.Load(); n >= maxLeft {
		return fmt.Sprintf("%d calls that nobody waits for any more do not end", n)
	}
	if n := l.unanswered.Load(); n >= maxLeft {
		l.unanswered.Store(0) // the next connection may be better
		return fmt.Sprintf("%d calls in a row were not answered in time", n)
	}
	return ""
}

// answered notes whether a call was, before it was given up.
func (l *leftovers) answered(yes bool) {
	if yes {
		l.unanswered.Store(0)
		return
	}
	l.unanswered.Add(1)
}

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
