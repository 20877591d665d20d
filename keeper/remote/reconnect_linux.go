package remote

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

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
	if c.isOver() {
		return nil, nil
	}
	l, jobs, err := c.redial()
	for until := time.Now().Add(againFor); lives(err) && (time.Now().Before(until) || noFiles(err)) && !c.isOver(); {
		time.Sleep(10 * time.Millisecond) // it lets us in soon
		l, jobs, err = c.redial()
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

func (c *Client) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err != nil
}

func (c *Client) redial() (*link, []Info, error) {
	ctx, cancel := context.WithTimeout(context.Background(), againFor)
	defer cancel()
	return dial(ctx, c.config)
}

// lives reports whether an error of a dial leaves it open that there is a keeper.
func lives(err error) bool {
	return err != nil && !errors.Is(err, unix.ECONNREFUSED) && !errors.Is(err, unix.ENOENT)
}

// noFiles reports whether this process could not even ask.
func noFiles(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }

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
