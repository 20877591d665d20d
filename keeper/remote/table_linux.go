package remote

import (
	"context"
	"errors"
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
func (s *server) start(ctx context.Context, e *entry, spec keeper.Spec) (line []byte, err error) {
	file, err := s.records.create(spec.Name)
	if err != nil {
		s.vacate(e)
		return nil, &keeper.SpawnError{Op: keeper.OpHold, Path: spec.Name, Err: errors.Unwrap(err), Hint: "the keeper cannot write the job's file, so it was not started"}
	}
	defer file.Close()
	j, err := s.spawner.Spawn(ctx, spec)
	if err != nil {
		s.records.remove(spec.Name)
		s.vacate(e)
		return nil, err
	}
	s.oom.lift(j.PID())
	e.job = j
	e.info.Started = time.Now().UTC().Truncate(time.Millisecond)
	e.info.Trace = j.(keeper.Traceable).Trace()
	e.info.Enforced = j.Enforced()
	line = encode(e.info)
	_, _ = file.Write(append(line, '\n')) // without it, the job ends with this keeper
	return line, nil
}

// show tells of a job that has begun: the session that asked, and the client if
// that is another one by now.
func (s *server) show(n *session, e *entry, number uint64, line []byte, files []int) {
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
		_ = s.client.conn.SendLater(wire.Frame{Kind: forgotten, Body: []byte(e.name)})
	}
}
