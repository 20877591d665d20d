package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// service is one service and the goroutine that keeps it connected:
//
//	    ┌──────── lost ────────┐
//	    v                      │
//	unavailable ── opened ── ready ── changed ──┐
//	 │      ^                  ^                │
//	 └ pause┘                  └──── opened ────┘
//
// The goroutine alone calls Open, and Close while the registry lives.
type service struct {
	name, kind  string
	description string // the operator's, where there is one
	adapter     Adapter
	timeout     time.Duration
	openTimeout time.Duration
	retry       time.Duration
	log         *slog.Logger

	left   leftovers     // calls that were given up and go on
	signal chan struct{} // holds one: look at the fields below
	tried  chan struct{} // closed when the first attempt is over

	mu      sync.Mutex // guards what follows
	started bool
	ready   bool
	reason  string        // why it is not ready, for people
	said    string        // the adapter's description
	tools   *listing      // what was offered last; nil: never opened
	attempt chan struct{} // closed at the end of the next attempt
	wanted  bool          // somebody waits for it
	relist  bool          // the adapter says that its tools changed
	lost    error         // the connection is gone
	opened  int           // how many connections there were: the number of this one
}

// steady is how long a connection must hold to count as working: one that
// breaks earlier is retried with growing pauses.
const steady = 10 * time.Second

func newService(name string, a Adapter, cfg Config) *service {
	kind := "custom"
	if k, ok := a.(Kinder); ok {
		kind = k.Kind()
	}
	return &service{
		name: name, kind: kind, adapter: a,
		timeout: cfg.CallTimeout, openTimeout: cfg.OpenTimeout, retry: cfg.Retry,
		log:    cfg.Logger.With("service", name),
		signal: make(chan struct{}, 1), tried: make(chan struct{}),
		attempt: make(chan struct{}),
		reason:  "it has not been started",
	}
}

func (s *service) markStarted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.reason = true, "it is still being connected"
}

// changed is the adapter's way to say that something did.
func (s *service) changed(lost error) {
	s.mu.Lock()
	if lost != nil {
		s.lost = lost
	} else {
		s.relist = true
	}
	s.mu.Unlock()
	s.poke()
}

func (s *service) poke() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// run keeps the service connected until ctx is over.
func (s *service) run(ctx context.Context) {
	pause := s.retry
	for ctx.Err() == nil {
		if s.open(ctx) {
			since := time.Now()
			s.hold(ctx)
			if time.Since(since) >= steady {
				pause = s.retry
			}
		}
		s.rest(ctx, pause)
		pause = min(2*pause, 60*s.retry)
	}
}

// open tries once to connect.
func (s *service) open(ctx context.Context) bool {
	s.mu.Lock()
	s.lost, s.relist, s.wanted = nil, false, false
	s.mu.Unlock()
	offered, err := s.ask(ctx)
	var tools *listing
	if err == nil {
		tools = newListing(s.name, offered.Tools, s.log)
	} else if ctx.Err() == nil {
		_ = s.adapter.Close() // half open is not open
		s.log.Warn("service is unavailable", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready = err == nil; s.ready {
		s.reason, s.said, s.tools = "", offered.Description, tools
		s.opened++
		s.log.Info("service is ready", "tools", len(tools.order))
	} else {
		s.reason = Clip(err.Error(), maxErrorText)
	}
	s.ended()
	return s.ready
}

// ended tells those who wait that an attempt is over. s.mu is held.
func (s *service) ended() {
	close(s.attempt)
	s.attempt = make(chan struct{})
	select {
	case <-s.tried:
	default:
		close(s.tried)
	}
}

var errOpenTooLong = errors.New("it took too long to connect")

// ask asks the adapter what it offers, within the time for that.
func (s *service) ask(ctx context.Context) (offered Service, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.openTimeout, errOpenTooLong)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the adapter panicked: %v", p)
		}
	}()
	offered, err = s.adapter.Open(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errOpenTooLong) {
		err = fmt.Errorf("it did not answer within %s", s.openTimeout)
	}
	return offered, err
}

// hold stays with an open connection until it is lost.
func (s *service) hold(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.signal:
		}
		s.mu.Lock()
		lost, relist := s.lost, s.relist
		s.relist = false
		s.mu.Unlock()
		if lost == nil && relist {
			if lost = s.list(ctx); lost == nil { // some say at every listing that it has changed
				s.rest(ctx, s.retry)
				s.poke() // what was said meanwhile
			}
		}
		if lost != nil && ctx.Err() == nil {
			s.drop(lost)
			return
		}
	}
}

// list reads again what an open adapter offers.
func (s *service) list(ctx context.Context) error {
	offered, err := s.ask(ctx)
	if err != nil {
		return err
	}
	tools := newListing(s.name, offered.Tools, s.log)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.tools = offered.Description, tools
	return nil
}

// drop marks a lost connection. What it offered stays known.
func (s *service) drop(lost error) {
	s.log.Warn("service was lost", "error", lost)
	s.mu.Lock()
	s.ready, s.reason = false, Clip(lost.Error(), maxErrorText)
	s.mu.Unlock()
	_ = s.adapter.Close()
}

// rest pauses between two attempts. Somebody who waits for the service shortens
// it to the first pause, so that callers cannot make it try without rest.
func (s *service) rest(ctx context.Context, pause time.Duration) {
	begun := time.Now()
	for {
		s.mu.Lock()
		d := pause
		if s.wanted {
			d = min(d, s.retry)
		}
		s.mu.Unlock()
		d -= time.Since(begun)
		if d <= 0 {
			return
		}
		t := time.NewTimer(d + rand.N(d/10+1))
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
			return
		case <-s.signal:
			t.Stop()
		}
	}
}
