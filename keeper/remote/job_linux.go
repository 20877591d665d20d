package remote

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/process"
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
	if j.info.Empty || j.info.Trace.PID == 0 {
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

// Frozen reports whether the tree is frozen.
func (j *remoteJob) Frozen() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t, ok := j.local.(keeper.Traceable); ok {
		return t.Frozen()
	}
	return j.info.Frozen && !j.info.Empty
}

// Wait returns the leader's exit.
func (j *remoteJob) Wait(ctx context.Context) (keeper.Exit, error) {
	select {
	case <-j.exited:
		return j.exit()
	default:
	}
	select {
	case <-j.exited:
		return j.exit()
	case <-ctx.Done():
		return keeper.Exit{}, context.Cause(ctx)
	case <-j.bond.broken:
	}
	select {
	case <-j.exited: // at the last moment
		return j.exit()
	default:
	}
	local, err := j.held()
	if err != nil {
		return keeper.Exit{}, err
	}
	exit, err := local.Wait(ctx)
	return exit, j.client.explain(err)
}

func (j *remoteJob) exit() (keeper.Exit, error) {
	i := j.now()
	if i.Exit == nil {
		return keeper.Exit{}, keeper.ErrLost
	}
	return *i.Exit, nil
}

// WaitEmpty returns when the tree has ended.
func (j *remoteJob) WaitEmpty(ctx context.Context) error {
	select {
	case <-j.empty:
		return j.emptied()
	default:
	}
	select {
	case <-j.empty:
		return j.emptied()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-j.bond.broken:
	}
	select {
	case <-j.empty:
		return j.emptied()
	default:
	}
	local, err := j.held()
	if err != nil {
		return err
	}
	return j.client.explain(local.WaitEmpty(ctx))
}

// explain tells a job that is lost from a client that is closed.
func (c *Client) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, keeper.ErrLost) && c.err != nil {
		return c.err
	}
	return err
}

func (j *remoteJob) emptied() error {
	if j.now().Unsure {
		return keeper.ErrLost
	}
	return nil
}

// ask puts a request to the keeper, or to the job where it is held here. What
// is asked may be asked twice, if the connection is lost in between.
func (j *remoteJob) ask(ctx context.Context, k wire.Kind, r request, here func(keeper.Job) error, answer any) error {
	r.Name = j.name
	for {
		j.mu.Lock()
		local := j.local
		j.mu.Unlock()
		if local != nil {
			return here(local)
		}
		l, err := j.client.current(j.bond)
		if err != nil {
			return err
		}
		b, err := l.call(ctx, k, encode(r))
		if errors.Is(err, errGone) {
			<-l.decided
			continue
		}
		if err == nil && answer != nil {
			err = json.Unmarshal(b, answer)
		}
		return err
	}
}

// current returns the link to the keeper that holds the jobs of a bond.
func (c *Client) current(b *bond) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return nil, c.err
	case c.bond != b || c.link == nil:
		return nil, keeper.ErrLost
	}
	return c.link, nil
}

// Signal delivers a signal to the whole tree.
func (j *remoteJob) Signal(s process.Signal) (n int, err error) {
	switch s {
	case process.SIGTERM, process.SIGINT, process.SIGKILL:
	default:
		return 0, process.Invalid("signal", "%v is not delivered to programs as a signal", s)
	}
	if j.now().Empty {
		return 0, nil
	}
	err = j.ask(context.Background(), signal, request{Signal: s}, func(l keeper.Job) (err error) {
		n, err = l.Signal(s)
		return err
	}, &n)
	return n, err
}

// Kill ends the tree. It is said again to whoever holds the job later, until
// the end has been seen.
func (j *remoteJob) Kill() {
	j.mu.Lock()
	j.killed = true
	local, empty := j.local, j.info.Empty
	j.mu.Unlock()
	switch {
	case local != nil:
		local.Kill()
	case !empty:
		if l, err := j.client.current(j.bond); err == nil {
			_ = l.conn.Send(wire.Frame{Kind: kill, Body: encode(request{Name: j.name})})
		}
	}
}

// Freeze stops the tree.
func (j *remoteJob) Freeze(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil || j.now().Empty {
		return err
	}
	err := j.ask(ctx, freeze, request{}, func(l keeper.Job) error { return l.Freeze(ctx) }, nil)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx) // the keeper knows that it was cancelled, not why
	}
	return err
}

// Thaw lets the tree go on.
func (j *remoteJob) Thaw() error {
	if j.now().Empty {
		return nil
	}
	return j.ask(context.Background(), thaw, request{}, keeper.Job.Thaw, nil)
}

// Members names what is alive.
func (j *remoteJob) Members() (all []process.Survivor) {
	if j.now().Empty {
		return nil
	}
	_ = j.ask(context.Background(), members, request{}, func(l keeper.Job) error {
		all = l.Members()
		return nil
	}, &all)
	return all
}

// Usage is what the tree has consumed.
func (j *remoteJob) Usage() keeper.Usage {
	i := j.now()
	if i.Empty {
		return i.Usage
	}
	u := i.Usage
	_ = j.ask(context.Background(), usage, request{}, func(l keeper.Job) error {
		u = l.Usage()
		return nil
	}, &u)
	return u
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
		_ = c.link.conn.Send(wire.Frame{Kind: release, Body: encode(request{Name: j.name})})
	}
}

// disown closes what a job holds that nobody will ask for any more.
func (j *remoteJob) disown() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closePidfd()
}
