package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/process"
)

// entry is a job of the keeper.
type entry struct {
	name    string
	job     keeper.Job // nil while it starts, and if an earlier keeper saw its end
	input   sync.Mutex // held while a client writes
	turn    sync.Mutex // held by who changes info, around the file and the frame
	info    Info       // guarded by turn for writing, by turn or server.mu for reading
	started bool       // guarded by server.mu: it may be shown
}

// reserve makes a place for a job that a session wants to start.
func (s *server) reserve(n *session, name string) (*entry, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopping:
		return nil, errEnding
	case s.client != n:
		return nil, ErrTakenOver
	case s.jobs[name] != nil:
		return nil, &keeper.SpawnError{Op: keeper.OpHold, Path: name, Err: fs.ErrExist, Hint: "a job of this name was started before and has not been released"}
	}
	e := &entry{name: name, info: Info{Name: name}}
	s.jobs[name] = e
	s.running++
	n.starting.Add(1)
	return e, nil
}

// start starts a job in its place and writes so. On an error the place is free
// again.
func (s *server) start(ctx context.Context, e *entry, spec keeper.Spec) error {
	file, err := s.records.create(spec.Name)
	if err != nil {
		s.vacate(e)
		return &keeper.SpawnError{Op: keeper.OpHold, Path: spec.Name, Err: errors.Unwrap(err), Hint: "the keeper cannot write the job's file, so it was not started"}
	}
	defer file.Close()
	j, err := s.spawner.Spawn(ctx, spec)
	if err != nil {
		s.records.remove(spec.Name)
		s.vacate(e)
		return err
	}
	s.oom.lift(j.PID())
	e.job = j
	e.info.Started = time.Now().UTC().Truncate(time.Millisecond)
	e.info.Trace = j.(keeper.Traceable).Trace()
	_, _ = file.Write(append(encode(e.info), '\n')) // without it, the job ends with this keeper
	return nil
}

// show tells of a job that has begun: the session that asked, and the client if
// that is another one by now.
func (s *server) show(n *session, e *entry, number uint64, files []int) {
	line := encode(e.info)
	s.mu.Lock()
	defer s.mu.Unlock()
	e.started = true
	_ = n.conn.Send(wire.Frame{Kind: answer, Number: number, Body: line, Files: files})
	if s.client != nil && s.client != n {
		_ = s.client.conn.Send(wire.Frame{Kind: job, Body: line})
	}
}

func (s *server) vacate(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, e.name)
	s.leaveLocked()
}

// leaveLocked counts a tree that has ended.
func (s *server) leaveLocked() {
	s.running--
	s.fewer.Broadcast()
	s.restLocked()
}

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
			s.running--
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
		i.Usage, i.Empty = e.job.Usage(), empty == nil
	})
	if empty != nil {
		empty = e.job.WaitEmpty(context.Background())
		s.change(e, true, func(i *Info) {
			i.Usage, i.Empty, i.Unsure = e.job.Usage(), true, empty != nil
		})
	}
	s.records.settle(e.name)
	s.mu.Lock()
	s.leaveLocked()
	s.mu.Unlock()
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
	e.info = i
	if s.client != nil && e.started {
		_ = s.client.conn.Send(wire.Frame{Kind: job, Body: line})
	}
}

// find returns a job that can be asked something.
func (s *server) find(name string) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.jobs[name]
	if e == nil || !e.started {
		return nil, process.Errorf(process.CodeNotFound, "the keeper has no job %q", name)
	}
	return e, nil
}

// release gives a job up: at once if it has ended, else when it has.
func (s *server) release(e *entry) {
	e.turn.Lock()
	ended := e.info.Empty
	e.turn.Unlock()
	if !ended {
		s.change(e, true, func(i *Info) { i.Released, ended = true, i.Empty })
	}
	if ended {
		s.forget(e)
	}
}

// forget removes what is left of a job that has ended.
func (s *server) forget(e *entry) {
	s.mu.Lock()
	again := s.jobs[e.name] != e
	if !again {
		delete(s.jobs, e.name)
	}
	s.mu.Unlock()
	if again {
		return
	}
	if e.job != nil {
		e.job.Release()
	}
	s.records.remove(e.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		_ = s.client.conn.Send(wire.Frame{Kind: forgotten, Body: []byte(e.name)})
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
