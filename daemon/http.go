package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/reeverun/reeve/server"
)

// maxHeader bounds a request's header.
const maxHeader = 64 << 10

// service is a listener and what answers on it.
type service struct {
	*http.Server
	listener net.Listener
	ended    chan struct{} // closed when it serves no more
}

// serve starts to answer requests. What it returns tells of a listener that
// failed.
func (d *daemon) serve() <-chan error {
	failed := make(chan error, 2)
	d.start(d.socket, server.Socket, failed)
	if d.tcp != nil {
		d.start(d.tcp, server.TCP, failed)
	}
	return failed
}

func (d *daemon) start(l net.Listener, t server.Transport, failed chan<- error) {
	s := &service{listener: l, ended: make(chan struct{}), Server: &http.Server{
		Handler:           pacedBodies(d.server.Handler(t), d.limits.body, d.limits.bodyRate),
		ReadHeaderTimeout: d.limits.header, IdleTimeout: d.limits.idle, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}}
	d.services = append(d.services, s)
	go func() {
		defer close(s.ended)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve on %s: %w", l.Addr(), err)
		}
	}()
}

// shutdown closes the listeners, lets requests end for a while, or not when
// hurried, and cuts what is left.
func (d *daemon) shutdown(hurry <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.linger)
	defer cancel()
	ended := make(chan error, len(d.services))
	for _, s := range d.services {
		go func() { ended <- d.end(ctx, s) }()
	}
	var err error
	for range d.services {
		select {
		case e := <-ended:
			err = errors.Join(err, e)
		case <-hurry:
			cancel()
			err = errors.Join(err, <-ended)
		}
	}
	return err
}

// end lets a service's requests end until ctx is over.
func (d *daemon) end(ctx context.Context, s *service) (err error) {
	if s.Shutdown(ctx) != nil {
		d.log.Warn("cutting requests that have not ended", "on", s.listener.Addr().String())
		err = ignoreClosed(s.Close())
	}
	<-s.ended
	return err
}

// pacedBodies cuts clients that send a body too slowly: it must arrive within a
// time, plus what its size needs at a rate. Once it has arrived there is no
// limit on how long the answer takes: streams and blocked requests last.
func pacedBodies(next http.Handler, within time.Duration, rate int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), due: time.Now().Add(within), rate: rate}
		// Set before the first read, for a handler that reads nothing: the
		// server then reads the rest of the body itself.
		_ = b.conn.SetReadDeadline(b.due)
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

type pacedBody struct {
	io.ReadCloser
	conn *http.ResponseController
	due  time.Time
	rate int64
}

func (b *pacedBody) Read(p []byte) (int, error) {
	_ = b.conn.SetReadDeadline(b.due)
	n, err := b.ReadCloser.Read(p)
	b.due = b.due.Add(time.Duration(int64(n) * int64(time.Second) / b.rate))
	if errors.Is(err, io.EOF) {
		// The connection is read on, to see the client go: without limit.
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}
