package daemon

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// gate is a listener that can be shut and opened again: whoever connects
// meanwhile waits in the system's queue, for this daemon or for another that
// has the same socket.
type gate struct {
	net.Listener
	kept    atomic.Bool // Close shuts it only
	leaving atomic.Bool // answers are the last on their connection
}

// openGate lets a listener accept, also one that was shut.
func openGate(l net.Listener) *gate {
	setDeadline(l, time.Time{})
	return &gate{Listener: l}
}

// Close ends Accept.
func (g *gate) Close() error {
	if !g.kept.Load() {
		return g.Listener.Close()
	}
	setDeadline(g.Listener, time.Unix(1, 0))
	return nil
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
