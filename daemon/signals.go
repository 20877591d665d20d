package daemon

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// stopSignals delivers the signals that stop a daemon. One that was started to
// ignore SIGHUP (nohup) goes on ignoring it.
func stopSignals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	return c, func() { signal.Stop(c) }
}

// stopping tells when to stop.
type stopping struct {
	ctx     context.Context // over at the first signal, or with the caller's
	hurry   <-chan struct{} // closed at the second signal
	release func()
}

// awaitStop starts to listen for signals. From the third on they do what they
// do to any program. Release it.
func awaitStop(parent context.Context, signals func() (<-chan os.Signal, func())) *stopping {
	ctx, cancel := context.WithCancelCause(parent)
	hurry, quit := make(chan struct{}), make(chan struct{})
	came, end := signals()
	var listener sync.WaitGroup
	listener.Go(func() {
		defer end()
		for n := range 2 {
			select {
			case s := <-came:
				if cancel(fmt.Errorf("%w: %s", errSignal, s)); n == 1 {
					close(hurry)
				}
			case <-quit:
				return
			}
		}
	})
	return &stopping{ctx, hurry, func() {
		close(quit)
		listener.Wait()
		cancel(nil)
	}}
}
