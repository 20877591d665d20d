package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// adoptAll takes over what earlier keepers have left.
func (s *server) adoptAll(left []Info) {
	for _, i := range left {
		e := &entry{name: i.Name, info: i, started: true}
		s.jobs[i.Name] = e
		if i.Empty {
			continue
		}
		e.info.Orphaned = true
		s.running++
		j, err := s.adopter.Adopt(i.Trace, -1)
		if err != nil { // it was of another boot, or never got to run
			s.change(e, true, func(i *Info) { i.Lost, i.Empty = i.Exit == nil, true })
			continue
		}
		e.job, e.info.Frozen = j, j.(keeper.Traceable).Frozen()
		s.following.Go(func() { s.follow(e) })
	}
}

// follow sees a job to its end.
func (s *server) follow(e *entry) {
	// This is where a parked job's goroutine spends its life.
	exit, err := e.job.Wait(context.Background())
	s.end(e, exit, err)
}

func (s *server) end(e *entry, exit keeper.Exit, err error) {
	look, cancel := context.WithCancel(context.Background())
	cancel()
	empty := e.job.WaitEmpty(look) // most trees end with their leader
	at := time.Now().UTC().Truncate(time.Millisecond)
	s.change(e, true, func(i *Info) {
		if i.Exit == nil {
			i.Exited = at
			if i.Lost = err != nil; !i.Lost {
				i.Exit = &exit
			}
		}
		i.Usage, i.Empty, i.Killed = e.job.Usage(), empty == nil, e.job.Killed()
	})
	if empty != nil {
		empty = e.job.WaitEmpty(context.Background())
		s.change(e, true, func(i *Info) {
			i.Usage, i.Empty, i.Unsure, i.Killed = e.job.Usage(), true, empty != nil, e.job.Killed()
		})
	}
	s.records.settle(e.name)
	e.turn.Lock()
	released := e.info.Released
	e.turn.Unlock()
	if released {
		s.forget(e)
	}
}

// change changes what is known of a job, in its file where it matters, and
// tells the client.
func (s *server) change(e *entry, durable bool, f func(*Info)) {
	e.turn.Lock()
	defer e.turn.Unlock()
	i := e.info
	f(&i)
	line := encode(i)
	if durable {
		_ = s.records.append(i.Name, line) // a full disk: the client hears it all the same
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.Empty && !e.info.Empty {
		s.leaveLocked()
	}
	e.info = i
	if s.client != nil && e.started {
		_ = s.client.conn.Send(wire.Frame{Kind: job, Body: line})
	}
}

// endFor bounds how long everything may take to die. A kill gives up earlier.
const endFor = 12 * time.Second

// endAll kills whatever runs and waits for it, once nothing can be started any
// more. Its error names what survived.
func (s *server) endAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.last; n != nil {
		s.mu.Unlock()
		n.starting.Wait()
		s.mu.Lock()
	}
	var alive []*entry
	for _, e := range s.jobs {
		if e.started && !e.info.Empty {
			e.job.Kill()
			alive = append(alive, e)
		}
	}
	deadline := time.Now().Add(endFor)
	defer time.AfterFunc(endFor, s.fewer.Broadcast).Stop()
	for s.running > 0 && time.Now().Before(deadline) {
		s.fewer.Wait()
	}
	var errs []error
	for _, e := range alive {
		if e.info.Empty {
			continue
		}
		for _, m := range e.job.Members() {
			errs = append(errs, fmt.Errorf("process %d outlived its kill: %s", m.PID, m.Command))
		}
	}
	return errors.Join(errs...)
}
