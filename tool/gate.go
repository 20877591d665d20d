package tool

import "sync"

// gate counts who is inside and can be closed. Its zero value is open and empty.
type gate struct {
	mu     sync.Mutex
	inside int
	closed chan struct{} // not nil: closed for entry; closed itself when empty
}

// enter counts one more, unless the gate is closed.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.closed != nil {
		close(g.closed)
	}
}

// close lets nobody in any more; what it returns is closed when all have left.
// It is called once.
func (g *gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = make(chan struct{})
	if g.inside == 0 {
		close(g.closed)
	}
	return g.closed
}
