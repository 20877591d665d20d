package remote

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// server is a keeper.
type server struct {
	self    greeting
	idle    time.Duration
	spawner keeper.Spawner
	adopter *keeper.Adopter // of what earlier keepers left
	records *records
	over    chan struct{} // closed when the keeper shall end
	oom     oomScore

	serving   sync.WaitGroup // the sessions
	following sync.WaitGroup // the jobs' goroutines

	mu       sync.Mutex // guards the rest, and orders what the client is told
	jobs     map[string]*entry
	running  int        // of jobs, those whose tree is not empty
	fewer    *sync.Cond // running has become less
	client   *session   // the one in control; nil: none
	last     *session   // the one that was so last
	sessions map[*session]bool
	stopping bool
	resting  *time.Timer
}

func newServer(c Config) (_ *server, err error) {
	s := &server{idle: c.Idle, adopter: keeper.NewAdopter(), over: make(chan struct{}),
		jobs: make(map[string]*entry), sessions: make(map[*session]bool)}
	if s.idle <= 0 {
		s.idle = DefaultIdle
	}
	s.fewer = sync.NewCond(&s.mu)
	s.resting = time.AfterFunc(s.idle, s.retire)
	s.resting.Stop()
	if s.records, err = openRecords(filepath.Join(c.Dir, jobsDir)); err != nil {
		return nil, err
	}
	left, err := s.records.load()
	if err != nil {
		s.records.close()
		return nil, err
	}
	keep := make(map[string]bool)
	for _, i := range left {
		keep[i.Trace.Cgroup] = !i.Empty
	}
	dir, err := filepath.Abs(c.Dir)
	if err == nil {
		s.spawner, err = keeper.NewInProcess(keeper.Options{Name: dir, Tier: c.Tier, NoGroup: c.NoGroup,
			Keep: func(cgroup string) bool { return keep[cgroup] }})
	}
	if err != nil {
		s.records.close()
		return nil, err
	}
	s.introduce(c.Build)
	s.adoptAll(left)
	return s, nil
}

func (s *server) introduce(build string) {
	s.self = greeting{Build: build, PID: os.Getpid(), Tier: s.spawner.Tier(), Reasons: s.spawner.Reasons()}
	if st, err := procs.Read(s.self.PID); err == nil {
		s.self.Start = st.Start
	}
}

// accept takes connections until the listener is closed.
func (s *server) accept(l *net.UnixListener) {
	for {
		sock, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, most likely
			time.Sleep(10 * time.Millisecond)
			continue
		}
		conn, err := wire.NewConn(sock)
		if err != nil {
			sock.Close()
			continue
		}
		s.admit(&session{server: s, conn: conn, over: make(chan struct{}), cancels: make(map[uint64]context.CancelFunc)})
	}
}

func (s *server) admit(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || len(s.sessions) > maxGuests {
		n.conn.Close()
		return
	}
	s.sessions[n] = true
	s.serving.Go(n.run)
}

// rest starts the time after which an idle keeper ends, if it is idle.
func (s *server) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restLocked()
}

func (s *server) restLocked() {
	if s.client == nil && s.running == 0 {
		s.resting.Reset(s.idle)
	}
}

// retire ends a keeper that is still idle.
func (s *server) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil && s.running == 0 && !s.stopping {
		s.stopping = true
		close(s.over)
	}
}

// close ends what is left.
func (s *server) close() error {
	s.resting.Stop()
	s.mu.Lock()
	s.stopping = true
	for n := range s.sessions {
		n.conn.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
	err := s.endAll()
	err = errors.Join(err, s.spawner.Close())
	s.adopter.Close()
	s.following.Wait()
	s.records.close()
	return err
}
