package remote

import (
	"context"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// Tier is how the keeper holds trees; Reasons says why not better.
func (c *Client) Tier() keeper.Tier {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer.Tier
}

// Reasons says why not better.
func (c *Client) Reasons() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.peer.Reasons...)
}

// Keeper names the keeper process and its build, for people.
func (c *Client) Keeper() (pid int, build string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer.PID, c.peer.Build
}

// Jobs is what the keeper holds that this client has not released, and what
// it holds itself since a keeper was lost.
func (c *Client) Jobs() []Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Info, 0, len(c.jobs))
	for _, j := range c.jobs {
		if i := j.Info(); i.Trace.PID != 0 || i.Empty {
			all = append(all, i)
		}
	}
	return all
}

// Adopt returns a job that Jobs shows, as if this client had spawned it. A
// name that it does not show is process.ErrNotFound.
func (c *Client) Adopt(name string) (keeper.Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j := c.jobs[name]; j != nil {
		return j, nil
	}
	return nil, process.Errorf(process.CodeNotFound, "the keeper has no job %q", name)
}

// End kills a job and returns when its tree is empty. It stays in Jobs.
func (c *Client) End(ctx context.Context, name string) error {
	j, err := c.Adopt(name)
	if err != nil {
		return err
	}
	j.Kill()
	return j.WaitEmpty(ctx)
}

// Forget releases a job by its name: what was written of it is removed when it
// has ended. A name that Jobs does not show is no error.
func (c *Client) Forget(name string) {
	if j, err := c.Adopt(name); err == nil {
		j.Release()
	}
}

// Shutdown ends every job and the keeper, and returns when it is gone. Its error
// names what survived. The client is still to be closed.
func (c *Client) Shutdown(ctx context.Context) error {
	c.mu.Lock()
	l, err := c.link, c.err
	c.mu.Unlock()
	if err != nil || l == nil { // closed, or there is none any more
		return err
	}
	if _, err = l.call(ctx, shutdown, nil); err != nil {
		return err
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if l.dead() {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close disconnects. The jobs go on, and so does the keeper; what this client
// held itself goes on, too. It may be called again.
func (c *Client) Close() error {
	c.end(process.ErrClosed)
	c.mu.Lock()
	l, child := c.link, c.child
	c.link, c.child = nil, nil
	c.mu.Unlock()
	if l != nil {
		l.conn.Close()
	}
	c.reading.Wait()
	c.adopter.Close()
	child.reap(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		j.disown()
	}
	return nil
}
