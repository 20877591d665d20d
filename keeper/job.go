package keeper

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// How long a kill is repeated, and how soon at first and at last. Most trees
// are gone after the first round; the rest is for what forks faster than it
// can be listed and for what the kernel cannot end at once.
const (
	killFor   = 10 * time.Second
	killFirst = 500 * time.Microsecond
	killLast  = 200 * time.Millisecond
)

// tree is how a tier holds the processes of one job.
type tree interface {
	// waitLeader returns when the leader has exited, waitEmpty, called after
	// it, when nothing is alive any more. Both return early, with an error,
	// after abandon.
	waitLeader() (Exit, error)
	waitEmpty() error
	// emptyNow reports whether the tree is known to be empty; it is asked
	// after the leader's exit, while a kill is under way.
	emptyNow() bool
	signal(s process.Signal) (int, error)
	kill() error // one round
	members() []process.Survivor
	usage() Usage
	// abandon makes the waits return; free gives back what the tree holds,
	// once, after the waits have returned.
	abandon()
	free()
}

// job is the Job of every tier. One goroutine follows its life:
//
//	spawned ──▶ waitLeader ──▶ exited ──▶ waitEmpty ──▶ empty ──▶ free
//	                                                   Release ──┘
type job struct {
	pid     int
	tree    tree
	spawner *spawner

	exited  chan struct{} // closed when exit and exitErr are set
	exit    Exit
	exitErr error
	empty   chan struct{} // closed when emptyErr is set

	freeOnce sync.Once
	mu       sync.Mutex // guards the rest
	emptyErr error
	isEmpty  bool
	killing  bool
	released bool
	holds    int // on the tree: the follower's, the owner's, a kill's
}

func newJob(s *spawner, t tree, pid int) *job {
	return &job{pid: pid, tree: t, spawner: s, holds: 2,
		exited: make(chan struct{}), empty: make(chan struct{})}
}

// follow waits for the leader and then for its tree. It frees the tree at the
// end if the owner has released it already.
func (j *job) follow() {
	defer j.spawner.running.Done()
	defer j.drop()
	j.exit, j.exitErr = j.tree.waitLeader()
	close(j.exited)
	j.setEmpty(j.tree.waitEmpty())
}

func (j *job) setEmpty(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.isEmpty {
		j.isEmpty, j.emptyErr = true, err
		close(j.empty)
	}
}

// drop gives up one of the two holds.
func (j *job) drop() {
	j.mu.Lock()
	j.holds--
	last := j.holds == 0
	j.mu.Unlock()
	if last {
		j.free()
	}
}

// free gives the tree back, once: by the last hold, or by the spawner's Close
// for a job that nobody released.
func (j *job) free() {
	j.freeOnce.Do(func() {
		j.tree.free()
		j.spawner.forget(j)
	})
}

// PID is the leader's process id.
func (j *job) PID() int { return j.pid }

// Wait returns the leader's exit.
func (j *job) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-j.exited:
		return j.exit, j.exitErr
	default:
	}
	select {
	case <-j.exited:
		return j.exit, j.exitErr
	case <-ctx.Done():
		return Exit{}, context.Cause(ctx)
	}
}

// WaitEmpty returns when the tree has ended.
func (j *job) WaitEmpty(ctx context.Context) error {
	select {
	case <-j.empty:
		return j.emptyErr
	default:
	}
	select {
	case <-j.empty:
		return j.emptyErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Signal delivers a signal to the whole tree.
func (j *job) Signal(s process.Signal) (int, error) {
	switch s {
	case process.SIGTERM, process.SIGINT, process.SIGKILL:
	default:
		return 0, process.Invalid("signal", "%v is not delivered to programs as a signal", s)
	}
	if j.ended() {
		return 0, nil
	}
	if s == process.SIGKILL {
		n := len(j.tree.members())
		j.Kill()
		return n, nil
	}
	return j.tree.signal(s)
}

func (j *job) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.isEmpty
}

// Kill starts the kill unless one is under way.
func (j *job) Kill() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isEmpty || j.killing {
		return
	}
	j.killing = true
	j.holds++
	j.spawner.running.Add(1) // the follower has not ended: the tree is not empty
	go j.killUntilEmpty()
}

func (j *job) killUntilEmpty() {
	defer j.spawner.running.Done()
	defer j.drop()
	defer func() {
		j.mu.Lock()
		j.killing = false
		j.mu.Unlock()
	}()
	deadline := time.Now().Add(killFor)
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for pause := killFirst; time.Now().Before(deadline); pause = min(2*pause, killLast) {
		_ = j.tree.kill() // what it could not end, Members names
		timer.Reset(pause)
		select {
		case <-j.empty:
			return
		case <-timer.C:
		}
		select {
		case <-j.exited:
			// Asking is quicker than being told: the kernel holds back
			// a second notice within 10 ms of the first.
			if j.tree.emptyNow() {
				j.setEmpty(nil)
				return
			}
		default:
		}
	}
}

// Members names what is alive.
func (j *job) Members() []process.Survivor {
	if j.ended() {
		return nil
	}
	return j.tree.members()
}

// Usage is what the tree has consumed.
func (j *job) Usage() Usage { return j.tree.usage() }

// Release gives the job up. What still runs goes on; the follower frees the
// tree when it ends.
func (j *job) Release() {
	j.mu.Lock()
	again := j.released
	j.released = true
	j.mu.Unlock()
	if !again {
		j.drop()
	}
}
