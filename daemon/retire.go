package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/reeverun/reeve/daemon/handover"
)

// retire ends what this daemon does, for its heir, who has the sockets:
//
//	doors shut (who connects waits in the queue) ─▶ streams end ─▶ requests end
//	─▶ what runs ends ─▶ data directory given up
//
// Its own copies of the sockets it keeps, shut.
func (d *daemon) retire(hurry <-chan struct{}, h *heir) error {
	began := time.Now()
	for _, s := range d.services {
		s.listener.kept.Store(true)
	}
	d.server.EndStreams()
	enough := time.AfterFunc(d.limits.rest, func() {
		d.server.Stop() // blocked requests are told where their process is
		for _, s := range d.services {
			s.cutSilent()
		}
	})
	err := d.shutdown(hurry)
	enough.Stop()
	d.server.Stop()
	short, cancel := context.WithDeadline(context.Background(), began.Add(d.limits.rest))
	d.awaitEnd(short, d.mortals(short))
	cancel()
	stopped := make(chan struct{})
	go func() { defer close(stopped); d.runtime.Stop() }()
	err = errors.Join(err, d.awaitRuntime(stopped, hurry))
	if errors.Is(err, errHangs) {
		return err // the directory is free when this process has ended
	}
	err = errors.Join(err, d.runtime.Close(), d.closeTools())
	_ = h.Say(handover.Message{Say: handover.Released})
	if err = errors.Join(err, d.closeTelemetry()); err != nil {
		d.log.Error("handing over", "error", err)
	}
	d.log.Info("handed over", "to", h.PID, "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}

// outlive waits until the heir serves, or takes its place again: what it returns
// is ready to serve.
func (d *daemon) outlive(stopping *stopping, h *heir) (*daemon, error) {
	_, err := h.Await(stopping.ctx, handover.Serving)
	if err == nil || stopping.ctx.Err() != nil { // a signal was for this one: the heir goes on
		d.log.Info("replaced", "by", h.PID)
		if d.tcp != nil {
			err = ignoreClosed(d.tcp.Close())
		}
		return nil, errors.Join(ignoreCanceled(err), d.socket.letGo())
	}
	d.log.Error("the daemon that was to replace this one has failed: serving again", "pid", h.PID, "cause", err.Error())
	again := newDaemon(d.settings, d.wiring, d.limits, d.log)
	again.settings.Replace = false
	again.tcp, again.socket = d.tcp, d.socket
	if err = again.begin(stopping.ctx); err != nil {
		return nil, errors.Join(err, again.release())
	}
	return again, nil
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
