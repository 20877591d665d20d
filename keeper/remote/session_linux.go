package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/wire"
)

const (
	// helloFor is how long a connection may take to say who it is.
	helloFor = 5 * time.Second
	// maxCalls is how many requests of one connection are worked on at a time;
	// the next ones wait in the socket. Writes of input do not count: of them
	// there is one per job.
	maxCalls = 256
	// maxMembers bounds an answer.
	maxMembers = 10_000
)

// errEnding is what comes too late.
var errEnding = errors.New("the keeper is ending")

// session is one connection to the keeper.
type session struct {
	server   *server
	conn     *wire.Conn
	starting sync.WaitGroup // starts under way; added to under server.mu while in control
	calls    sync.WaitGroup // the goroutines of requests
	over     chan struct{}  // closed when nothing is done for it any more
	slots    chan struct{}  // for those that count

	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc // of what can be given up; guarded by mu
}

// run serves a connection to its end.
func (n *session) run() {
	defer n.server.leave(n)
	defer close(n.over)
	ctx, cancel := context.WithCancel(context.Background())
	defer n.calls.Wait()
	defer cancel()
	defer n.conn.Close()
	if err := n.greet(); err != nil {
		_ = n.conn.Send(wire.Frame{Kind: failed, Body: encodeError(err)})
		return
	}
	n.slots = make(chan struct{}, maxCalls)
	for {
		f, err := n.conn.Receive()
		if err != nil || !n.handle(ctx, f) {
			return
		}
	}
}

// greet hears who it is, takes control for it, and tells it what there is.
func (n *session) greet() error {
	_ = n.conn.SetReceiveDeadline(time.Now().Add(helloFor))
	f, err := n.conn.Receive()
	if err != nil {
		return err
	}
	for _, fd := range f.Files {
		unix.Close(fd)
	}
	if uid, err := n.conn.PeerUID(); err != nil || uid != os.Getuid() && uid != 0 {
		return fmt.Errorf("%w: the keeper serves user %d alone", fs.ErrPermission, os.Getuid())
	}
	if f.Kind != hello {
		return fmt.Errorf("%w: the first one must be a hello", wire.ErrMalformed)
	}
	version, _, err := decodeHello(f.Body)
	if err != nil {
		return fmt.Errorf("%w: a hello that cannot be read", wire.ErrMalformed)
	}
	if version != Version {
		return fmt.Errorf("%w: the keeper, pid %d, build %q, speaks version %d, and not %d", ErrVersion, n.server.self.PID, n.server.self.Build, Version, version)
	}
	_ = n.conn.SetReceiveDeadline(time.Time{})
	return n.server.takeOver(n)
}

// takeOver makes a session the client. The one before it gets no further, and
// what it was just starting is waited for: a job that appears later would be
// a surprise to who has just been told of all.
func (s *server) takeOver(n *session) error {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		return errEnding
	}
	old := s.client
	before := s.last
	s.client, s.last = n, n
	s.resting.Stop()
	s.mu.Unlock()
	if old != nil {
		_ = old.conn.Send(wire.Frame{Kind: takenOver})
		old.conn.Close()
	}
	if before != nil {
		before.starting.Wait()
		<-before.over // nor shall it be told that something is under way
	}
	return s.tellAll(n)
}

// tellAll sends the welcome and every job, and makes sure that none is told in
// an older state after a newer one.
func (s *server) tellAll(n *session) error {
	if err := n.conn.Send(wire.Frame{Kind: welcome, Body: encode(s.self)}); err != nil {
		return err
	}
	s.mu.Lock()
	all := make([]*entry, 0, len(s.jobs))
	for _, e := range s.jobs {
		all = append(all, e)
	}
	s.mu.Unlock()
	for _, e := range all {
		s.mu.Lock()
		var err error
		if e.started {
			err = n.conn.Send(wire.Frame{Kind: job, Body: encode(e.info)})
		}
		s.mu.Unlock()
		if err != nil {
			return err
		}
		if err := n.conn.WaitRoom(); err != nil {
			return err
		}
	}
	return n.conn.Send(wire.Frame{Kind: ready})
}

// leave is the end of a session.
func (s *server) leave(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, n)
	if s.client == n {
		s.client = nil
		s.restLocked()
	}
}
