package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
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
