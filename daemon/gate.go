package daemon

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gate is a listener that can be shut and opened again: whoever connects
// meanwhile waits in the system's queue, for this daemon or for another that
// has the same socket.
type gate struct {
	net.Listener
	leaving atomic.Bool   // answers are the last on their connection
	isShut  atomic.Bool   // nobody is accepted; Close leaves the listener open
	parked  chan struct{} // closed when Accept has noticed
	closed  chan struct{}
	once    sync.Once
}

// openGate lets a listener accept, also one that was shut.
func openGate(l net.Listener) *gate {
	setDeadline(l, time.Time{})
	return &gate{Listener: l, parked: make(chan struct{}), closed: make(chan struct{})}
}

// Accept is for one goroutine. Once the gate is shut it waits for Close.
func (g *gate) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err == nil || !g.isShut.Load() {
		return c, err
	}
	close(g.parked)
	<-g.closed
	return nil, net.ErrClosed
}

// shut returns when nobody is accepted any more, and the server knows of all who
// were. Unlike Close it drops none of them: net/http does not answer those whose
// first request it reads after that.
func (g *gate) shut(ended <-chan struct{}) {
	g.isShut.Store(true)
	setDeadline(g.Listener, time.Unix(1, 0))
	select {
	case <-g.parked:
	case <-ended: // it has failed before
	}
}

// Close ends Accept.
func (g *gate) Close() error {
	g.once.Do(func() { close(g.closed) })
	if g.isShut.Load() {
		return nil
	}
	return g.Listener.Close()
}

func setDeadline(l net.Listener, t time.Time) {
	if s, ok := l.(*socket); ok {
		l = s.Listener
	}
	if d, ok := l.(interface{ SetDeadline(time.Time) error }); ok {
		_ = d.SetDeadline(t)
	}
}

// farewell tells clients, while the daemon is leaving, to come back over a new
// connection. One that is closed while it is idle may be in use again by then;
// one that the client was told of is not.
func (g *gate) farewell(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
