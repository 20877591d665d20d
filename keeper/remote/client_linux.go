package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/process"
)

// Client is a daemon's side of a keeper: a keeper.Spawner whose jobs outlive
// it. If the keeper is lost, the client holds the jobs that it knew by itself,
// and the next Spawn starts another keeper.
type Client struct {
	config  Config
	dir     string          // for jobs that name none
	adopter *keeper.Adopter // of jobs whose keeper is lost
	reading sync.WaitGroup  // the goroutine that reads

	linking sync.Mutex // held while a keeper is looked for or started

	mu      sync.Mutex // guards the rest
	peer    greeting
	link    *link // nil: the keeper is lost
	bond    *bond // of the jobs of this keeper
	jobs    map[string]*remoteJob
	dropped map[string]bool // released, which the keeper has not confirmed
	child   *keeperProcess  // nil: another process started the keeper
	err     error           // why it is over: process.ErrClosed or ErrTakenOver
}

var _ keeper.Spawner = (*Client)(nil)

// bond is what the jobs of one keeper have in common: that they lose it.
type bond struct{ broken chan struct{} }

// attempts is how often a keeper that ends just now is replaced.
const attempts = 4

// Connect finds the keeper of a directory or starts one, and takes control of
// it: a client that had it before is told ErrTakenOver.
func Connect(ctx context.Context, c Config) (*Client, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	c.Dir = dir
	cl := &Client{config: c, adopter: keeper.NewAdopter(), bond: &bond{make(chan struct{})},
		jobs: make(map[string]*remoteJob), dropped: make(map[string]bool)}
	if cl.dir, err = os.Getwd(); err != nil {
		cl.dir = "/"
	}
	if err := cl.connect(ctx); err != nil {
		return nil, err
	}
	return cl, nil
}

// connect finds a keeper or starts one, if there is no link.
func (c *Client) connect(ctx context.Context) error {
	c.linking.Lock()
	defer c.linking.Unlock()
	var err error
	for range attempts {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		c.mu.Lock()
		linked, over := c.link != nil, c.err
		c.mu.Unlock()
		if linked || over != nil {
			return over
		}
		var l *link
		var jobs []Info
		if l, jobs, err = dial(ctx, c.config); err == nil {
			return c.begin(l, jobs)
		}
		if errors.Is(err, ErrVersion) || errors.Is(err, os.ErrPermission) || ctx.Err() != nil {
			return err
		}
		if err = c.launch(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("connect to the keeper in %s: %w", c.config.Dir, err)
}

// begin uses a link and starts to listen to it.
func (c *Client) begin(l *link, jobs []Info) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		l.conn.Close()
		return c.err
	}
	c.use(l, jobs)
	c.reading.Go(func() { c.read(l) })
	return nil
}

func (c *Client) launch(ctx context.Context) error {
	child, err := launch(ctx, c.config)
	c.mu.Lock()
	old := c.child
	c.child = child
	c.mu.Unlock()
	old.reap(0)
	return err
}

// use makes a link the current one, and learns what its keeper holds. What
// this client wanted and may not have been heard is said again. The caller
// holds mu.
func (c *Client) use(l *link, jobs []Info) {
	c.link, c.peer = l, l.peer
	for _, i := range jobs {
		c.learn(i)
	}
	for name := range c.dropped {
		_ = l.conn.Send(wire.Frame{Kind: release, Body: encode(request{Name: name})})
	}
	for _, j := range c.jobs {
		if j.wantsKill() {
			_ = l.conn.Send(wire.Frame{Kind: kill, Body: encode(request{Name: j.name})})
		}
	}
}

// learn takes in what the keeper says of a job. The caller holds mu.
func (c *Client) learn(i Info) {
	j := c.jobs[i.Name]
	if j == nil {
		if c.dropped[i.Name] {
			return
		}
		j = newRemoteJob(c, i.Name, c.bond)
		c.jobs[i.Name] = j
	}
	j.update(i)
}

// read listens to the keeper. If only the connection is lost, it is made anew;
// if it is the keeper, the client holds the jobs itself.
func (c *Client) read(l *link) {
	for {
		c.listen(l)
		l.fail()
		next, jobs := c.again(l)
		if next == nil {
			close(l.decided)
			return
		}
		over := c.reuse(next, jobs)
		close(l.decided)
		if over {
			next.conn.Close()
			return
		}
		l = next
	}
}

func (c *Client) reuse(l *link, jobs []Info) (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.use(l, jobs)
	}
	return c.err != nil
}

func (c *Client) listen(l *link) {
	for {
		f, err := l.conn.Receive()
		if err != nil {
			return
		}
		switch f.Kind {
		case answer, failed:
			l.deliver(f)
		case job:
			var i Info
			if json.Unmarshal(f.Body, &i) == nil {
				c.mu.Lock()
				c.learn(i)
				c.mu.Unlock()
			}
		case forgotten:
			c.mu.Lock()
			delete(c.dropped, string(f.Body))
			c.mu.Unlock()
		case takenOver:
			c.end(ErrTakenOver)
			return
		}
	}
}

// againFor bounds how long a keeper that lives may take to let us in again.
const againFor = 5 * time.Second

// again returns a new link to the same keeper. If there is none, the jobs have
// lost their keeper, even if another one is there already.
func (c *Client) again(old *link) (*link, []Info) {
	c.mu.Lock()
	over := c.err != nil
	c.mu.Unlock()
	if over {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), againFor)
	defer cancel()
	l, jobs, err := dial(ctx, c.config)
	for err != nil && !errors.Is(err, unix.ECONNREFUSED) && !errors.Is(err, unix.ENOENT) && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond) // there is one, and it lets us in soon
		l, jobs, err = dial(ctx, c.config)
	}
	if err == nil && l.peer.PID == old.peer.PID && l.peer.Start == old.peer.Start {
		return l, jobs
	}
	c.lose()
	if err != nil {
		return nil, nil
	}
	return l, jobs
}

// lose makes this client the holder of the jobs of a keeper that is dead.
func (c *Client) lose() {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.link = nil
	lost := c.bond
	c.bond = &bond{make(chan struct{})}
	for _, j := range c.jobs {
		if j.bond == lost {
			j.hold()
		}
	}
	child := c.child
	c.child = nil
	c.mu.Unlock()
	close(lost.broken)
	child.reap(time.Second)
}

// end makes the client useless. Its jobs' waits answer err.
func (c *Client) end(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.err = err
	close(c.bond.broken)
	return true
}

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

// Shutdown ends every job and the keeper. Its error names what survived. The
// client is still to be closed.
func (c *Client) Shutdown(ctx context.Context) error {
	c.mu.Lock()
	l, err := c.link, c.err
	c.mu.Unlock()
	if err == nil && l == nil {
		err = errGone
	}
	if err != nil {
		return err
	}
	_, err = l.call(ctx, shutdown, nil)
	return err
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
