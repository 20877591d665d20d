package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/internal/ownerlock"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// socketName is that of the socket in a keeper's directory.
const socketName = "socket"

// maxGuests is how many connections may be there at a time that are not, or
// not yet, or no longer, the client's.
const maxGuests = 16

// Serve is the keeper of a directory. It returns when a client has shut it
// down, when it has been idle for long enough, or when ctx is over; by then
// what it held is dead. A directory that has a keeper is process.ErrOwned.
func Serve(ctx context.Context, c Config) error { return serve(ctx, c, host{up: func() {}}) }

// host is what a process that is a keeper and nothing else has besides.
type host struct {
	score   oomScore
	signals <-chan os.Signal
	up      func() // called when it serves
}

func serve(ctx context.Context, c Config, h host) (err error) {
	lock, err := ownerlock.Acquire(c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	s, err := newServer(c)
	if err != nil {
		return err
	}
	s.oom = h.score
	l, err := listen(c.Dir)
	if err != nil {
		return errors.Join(err, s.close())
	}
	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(l) })
	h.up()
	s.rest() // until somebody comes
	s.wait(ctx, h.signals)
	// No path to this keeper first: who finds none starts the next, which
	// waits for the lock.
	err = errors.Join(os.Remove(filepath.Join(c.Dir, socketName)), l.Close())
	accepting.Wait()
	return errors.Join(err, s.close())
}

// wait returns when the keeper shall end. A request to terminate is granted if
// nothing runs; every other signal is dropped.
func (s *server) wait(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			return
		case sig := <-signals:
			if sig == syscall.SIGTERM && s.idleNow() {
				return
			}
		}
	}
}

func (s *server) idleNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.stopping = true
	}
	return s.stopping
}

// listen binds the socket, which belongs to whoever holds the lock. The path
// through a descriptor is short, wherever the directory is.
func listen(dir string) (*net.UnixListener, error) {
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	path := filepath.Join(dir, socketName)
	if err := unix.Unlink(path); err != nil && err != unix.ENOENT {
		return nil, &os.PathError{Op: "remove", Path: path, Err: err}
	}
	l, err := net.ListenUnix("unix", socketAddr(d))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	l.SetUnlinkOnClose(false)
	// The directory is this user's alone, so nobody was quicker.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func openDir(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), dir), nil
}

func socketAddr(dir *os.File) *net.UnixAddr {
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName)}
}

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
	if s.records, err = openRecords(filepath.Join(c.Dir, "jobs")); err != nil {
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
		s.admit(&session{server: s, conn: conn, cancels: make(map[uint64]context.CancelFunc)})
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
