package keeper

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// tree is how a tier holds the processes of one job.
type tree interface {
	// waitLeader returns when the leader has exited, waitEmpty, called after
	// it, when nothing is alive any more. All waits return early after
	// abandon, these two with an error.
	waitLeader() (Exit, error)
	waitEmpty() error
	// settle, called after waitEmpty, waits for what nobody else needs to
	// wait for.
	settle()
	// emptyNow reports whether the tree is known to be empty; it is asked
	// after the leader's exit, while a kill is under way.
	emptyNow() bool
	signal(s process.Signal) (int, error)
	// freeze stops the tree, thaw undoes it, also a freeze that failed half
	// way. They are called one at a time.
	freeze(ctx context.Context) error
	thaw() error
	kill() error // one round
	members() []process.Survivor
	usage(live bool) Usage // live: also what it holds at the moment
	// overran names the limit that killed some of the tree, if the tier can
	// tell.
	overran() Limit
	// abandon makes the waits return; free gives back what the tree holds,
	// once, after the waits have returned.
	abandon()
	free()
}

// job is the Job of every tier. One goroutine follows its life:
//
//	spawned ──▶ waitLeader ──▶ exited ──▶ waitEmpty ──▶ empty ──▶ free
//	                                                   Release ──┘
//
// A caller that waits for the leader without a way out does the first part
// itself: most jobs have such a caller, and a parked job then costs one
// goroutine less.
type job struct {
	pid     int
	tree    tree
	spawner *spawner
	input   *input // nil if it takes none

	enforced Enforced

	exited  chan struct{} // closed when exit and exitErr are set
	exit    Exit
	exitErr error
	empty   chan struct{} // closed when emptyErr is set

	freezing sync.Mutex // held by Freeze and Thaw, which take their turns
	freeOnce sync.Once
	mu       sync.Mutex // guards the rest
	emptyErr error
	isEmpty  bool
	killing  bool
	released bool
	followed bool        // somebody follows
	frozen   bool        // by the last Freeze or Thaw that did it
	cpu      *time.Timer // looks at the time used, while that is limited; see watchCPU
	killed   Limit
	holds    int // on the tree: the follower's, the owner's, a kill's
}

func newJob(s *spawner, t tree, pid int, c *command) *job {
	return &job{pid: pid, tree: t, spawner: s, holds: 2, enforced: c.record(),
		exited: make(chan struct{}), empty: make(chan struct{})}
}

// claim makes the caller the one who follows the job, if nobody is.
func (j *job) claim() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	mine := !j.followed
	j.followed = true
	return mine
}

// follow sees to it that somebody follows the job.
func (j *job) follow() {
	if j.claim() {
		go func() {
			j.followLeader()
			j.followTree()
		}()
	}
}

func (j *job) followLeader() {
	j.exit, j.exitErr = j.tree.waitLeader()
	close(j.exited)
}

// followTree waits for the tree after its leader. It frees the tree at the end
// if the owner has released it already.
func (j *job) followTree() {
	defer j.spawner.running.Done()
	defer j.drop()
	j.setEmpty(j.tree.waitEmpty())
	j.tree.settle()
}

func (j *job) setEmpty(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.isEmpty {
		j.isEmpty, j.emptyErr = true, err
		if j.cpu != nil {
			j.cpu.Stop()
		}
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
		if j.input != nil {
			j.input.close()
		}
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
	if ctx.Done() == nil && j.claim() {
		j.followLeader()
		if j.exitErr == nil && j.tree.emptyNow() {
			j.setEmpty(nil)
		}
		go j.followTree()
		return j.exit, j.exitErr
	}
	j.follow()
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
	j.follow()
	select {
	case <-j.empty:
		return j.emptyErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Members names what is alive.
func (j *job) Members() []process.Survivor {
	if j.ended() {
		return nil
	}
	return j.tree.members()
}

// Count is how many are alive.
func (j *job) Count() int {
	if j.ended() {
		return 0
	}
	if t, ok := j.tree.(interface{ count() int }); ok {
		return t.count()
	}
	return len(j.tree.members())
}

// Usage is what the tree has consumed.
func (j *job) Usage() Usage { return j.tree.usage(!j.ended()) }

// Release gives the job up. What still runs goes on; the follower frees the
// tree when it ends.
func (j *job) Release() {
	j.mu.Lock()
	again := j.released
	j.released = true
	j.mu.Unlock()
	if !again {
		j.follow()
		j.drop()
	}
}
