package remote

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/process"
)

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

// Count is how many are alive.
func (j *remoteJob) Count() (n int) {
	if j.now().Empty {
		return 0
	}
	err := j.ask(context.Background(), count, request{}, func(l keeper.Job) error {
		n = l.(keeper.Countable).Count()
		return nil
	}, &n)
	if errors.Is(err, errors.ErrUnsupported) {
		return len(j.Members())
	}
	return n
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
