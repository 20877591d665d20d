package daemon

import (
	"context"
	"errors"
	"slices"
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
	d.followed.Store(true)
	err := d.dismiss(hurry)
	short, cancel := context.WithTimeout(context.Background(), d.limits.rest)
	_ = d.runtime.Finish(short) // what has not ended by then is ended
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

// dismiss answers all who have come, and nobody who comes now. Who is blocked,
// or says nothing, is waited for for a short time only: others wait, too.
func (d *daemon) dismiss(hurry <-chan struct{}) error {
	for _, s := range d.services {
		s.listener.shut(s.ended)
	}
	d.server.EndStreams()
	d.awaitCallers(d.limits.rest)
	d.server.Stop() // blocked requests are told where their process is
	for _, s := range d.services {
		s.callers.cutSilent()
	}
	d.awaitCallers(d.limits.linger)
	return d.shutdown(hurry)
}

// awaitCallers waits until all have been answered.
func (d *daemon) awaitCallers(within time.Duration) {
	busy := func(s *service) bool { return s.callers.any() }
	for giveUp := time.Now().Add(within); slices.ContainsFunc(d.services, busy) && time.Now().Before(giveUp); {
		time.Sleep(time.Millisecond)
	}
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
	again.settings.Replace, again.settings.Recover = false, false
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
