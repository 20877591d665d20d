package daemon

import (
	"context"
	"errors"
	"fmt"
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
	listener *gate
	ended    chan struct{} // closed when it serves no more
	callers  callers
}

// serve starts to answer requests. What it returns tells of a listener that
// failed.
func (d *daemon) serve() <-chan error {
	failed := make(chan error, 2)
	d.start(d.socket, server.Socket, failed)
	if d.tcp != nil {
		t := server.Public
		if loopback(d.settings.Listen) {
			t = server.TCP
		}
		d.start(d.tcp, t, failed)
	}
	return failed
}

func (d *daemon) start(on net.Listener, t server.Transport, failed chan<- error) {
	l := openGate(on)
	h := closeLast(pacedBodies(d.server.Handler(t), d.limits.body, d.limits.bodyRate))
	if t == server.Socket {
		h = d.heirs.handler(h)
	}
	s := &service{listener: l, ended: make(chan struct{}), Server: &http.Server{
		Handler: l.farewell(h), ConnContext: markLast,
		ReadHeaderTimeout: d.limits.header, IdleTimeout: d.limits.idle, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}}
	s.ConnState = s.callers.note
	d.services = append(d.services, s)
	go func() {
		defer close(s.ended)
		if err := s.Serve(newReserve(l)); !errors.Is(err, http.ErrServerClosed) {
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
			// What is being answered is, since it takes no time.
			soon := time.AfterFunc(2*d.limits.quiet, cancel)
			err = errors.Join(err, <-ended)
			soon.Stop()
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
