package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
)

// reserved is how many descriptors are kept for when there are none left: that
// many clients are then answered at a time.
const reserved = 8

// reserve is a listener that still accepts when the process has run out of
// descriptors: it gives one up that it holds for this. Such a connection is for
// one request. Without it nobody could ask what is wrong, or end what uses them.
type reserve struct {
	net.Listener
	mu    sync.Mutex
	spare []*os.File
}

func newReserve(l net.Listener) *reserve {
	r := &reserve{Listener: l}
	r.refill()
	return r
}

// refill takes descriptors, as far as there are any.
func (r *reserve) refill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.spare) < reserved {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		r.spare = append(r.spare, f)
	}
}

// giveUp closes one, and reports whether there was one.
func (r *reserve) giveUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.spare)
	if n == 0 {
		return false
	}
	_ = r.spare[n-1].Close()
	r.spare = r.spare[:n-1]
	return true
}

// Accept fails for want of descriptors only when the reserve is used up. The
// HTTP server then waits before it tries again.
func (r *reserve) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	for exhausted(err) && r.giveUp() {
		if c, err = r.Listener.Accept(); err == nil {
			return &lastConn{Conn: c, reserve: r}, nil
		}
	}
	return c, err
}

// Close lets go of the reserve, too.
func (r *reserve) Close() error {
	err := r.Listener.Close()
	for r.giveUp() {
	}
	return err
}

func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// lastConn is a connection on a descriptor of the reserve, which gets it back.
type lastConn struct {
	net.Conn
	reserve *reserve
	once    sync.Once
}

func (c *lastConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.reserve.refill)
	return err
}

// lastKey marks the context of a request on a lastConn.
type lastKey struct{}

func markLast(ctx context.Context, c net.Conn) context.Context {
	if _, ok := c.(*lastConn); ok {
		return context.WithValue(ctx, lastKey{}, true)
	}
	return ctx
}

// closeLast has a connection on the reserve end with its request.
func closeLast(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(lastKey{}) != nil {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}
