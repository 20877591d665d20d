package remote

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// remoteJob is a job that a keeper holds, or held: if the keeper is lost, the
// client holds the job by itself, by what it knows of it.
type remoteJob struct {
	client *Client
	name   string
	bond   *bond
	exited chan struct{} // closed when info has the exit, or that it is lost
	empty  chan struct{} // closed when info says so

	mu       sync.Mutex // guards the rest
	info     Info
	pidfd    int        // of the leader, as long as it runs; -1: not had
	local    keeper.Job // the job, held here
	killed   bool
	released bool
}

var (
	_ keeper.Job         = (*remoteJob)(nil)
	_ keeper.Interactive = (*remoteJob)(nil)
)

func newRemoteJob(c *Client, name string, b *bond) *remoteJob {
	return &remoteJob{client: c, name: name, bond: b, info: Info{Name: name}, pidfd: -1,
		exited: make(chan struct{}), empty: make(chan struct{})}
}

// update takes in what the keeper says, unless the job is held here.
func (j *remoteJob) update(i Info) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.local == nil {
		j.set(i)
	}
}

// set changes what is known; what has ended stays so. The caller holds mu.
func (j *remoteJob) set(i Info) {
	exited, empty := j.ended()
	j.info = i
	nowExited, nowEmpty := j.ended()
	if nowExited && !exited {
		close(j.exited)
		j.closePidfd()
	}
	if nowEmpty && !empty {
		close(j.empty)
	}
}

func (j *remoteJob) ended() (exited, empty bool) {
	return j.info.Exit != nil || j.info.Lost, j.info.Empty
}

func (j *remoteJob) closePidfd() {
	if j.pidfd >= 0 {
		unix.Close(j.pidfd)
		j.pidfd = -1
	}
}

func (j *remoteJob) now() Info {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.info
}

// Info is what is known of the job, also where it is held here.
func (j *remoteJob) Info() Info {
	j.mu.Lock()
	i, local := j.info, j.local
	j.mu.Unlock()
	if local == nil {
		return i
	}
	look, cancel := context.WithCancel(context.Background())
	cancel()
	if exit, err := local.Wait(look); i.Exit == nil && err == nil {
		i.Exit = &exit
	} else {
		i.Lost = i.Exit == nil && errors.Is(err, keeper.ErrLost)
	}
	i.Empty = local.WaitEmpty(look) == nil
	i.Usage, i.Frozen = local.Usage(), j.Frozen()
	return i
}

// wantsKill reports whether a kill has been asked for whose end is not seen.
func (j *remoteJob) wantsKill() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.killed && !j.info.Empty
}

// hold makes the client the holder of a job whose keeper is dead.
func (j *remoteJob) hold() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.local != nil || j.info.Empty || j.info.Trace.PID == 0 {
		return
	}
	local, err := j.client.adopter.Adopt(j.info.Trace, j.pidfd)
	if err != nil {
		return
	}
	j.local, j.pidfd = local, -1
	j.info.Orphaned = true
	if j.killed {
		local.Kill()
	}
}

// held is the job if it is held here, and why it cannot be asked for if it is
// not and the keeper cannot be asked either.
func (j *remoteJob) held() (keeper.Job, error) {
	j.mu.Lock()
	local := j.local
	j.mu.Unlock()
	if local != nil {
		return local, nil
	}
	j.client.mu.Lock()
	defer j.client.mu.Unlock()
	if j.client.err != nil {
		return nil, j.client.err
	}
	return nil, keeper.ErrLost
}

// PID is the leader's process id.
func (j *remoteJob) PID() int { return j.now().Trace.PID }

// Enforced says what holds the job back.
func (j *remoteJob) Enforced() keeper.Enforced { return j.now().Enforced }

// Killed names the limit that ended some of the tree.
func (j *remoteJob) Killed() keeper.Limit { return j.now().Killed }

// Frozen reports whether the tree is frozen.
func (j *remoteJob) Frozen() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t, ok := j.local.(keeper.Traceable); ok {
		return t.Frozen()
	}
	return j.info.Frozen && !j.info.Empty
}

// Release gives the job up, here and with the keeper.
func (j *remoteJob) Release() {
	j.mu.Lock()
	again, local := j.released, j.local
	j.released = true
	j.mu.Unlock()
	if again {
		return
	}
	if local != nil {
		local.Release()
	}
	j.client.drop(j)
}

// drop takes a job out of the books and tells the keeper.
func (c *Client) drop(j *remoteJob) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs[j.name] != j {
		return
	}
	delete(c.jobs, j.name)
	j.disown()
	if c.err != nil {
		return
	}
	c.dropped[j.name] = true
	if c.link != nil {
		_ = c.link.conn.SendLater(wire.Frame{Kind: release, Body: encode(request{Name: j.name})})
	}
}

// disown closes what a job holds that nobody will ask for any more.
func (j *remoteJob) disown() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closePidfd()
}
