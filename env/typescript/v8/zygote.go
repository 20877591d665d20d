//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var errZygoteGone = errors.New("the V8 zygote has ended")

// zygote is a process that forks children. One goroutine reads what it tells
// and, at the end, waits for it.
type zygote struct {
	control *control
	process *os.Process
	group   *cgroup
	holds   holds
	version string        // of V8, as it tells
	ended   chan struct{} // closed when it and its children are

	mu       sync.Mutex // guards what follows
	dead     bool       // nothing can be asked of it any more
	retired  bool
	forked   int
	pending  map[int64]*birth
	children map[int64]*child // that live, by pid as the zygote sees it
}

// birth is a fork that was asked for.
type birth struct {
	channel   *os.File
	abandoned bool
	born      chan birthResult // buffered: the reader does not wait
}

type birthResult struct {
	child *child
	err   error
}

func (z *zygote) gone() bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.dead
}

func (z *zygote) forks() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.forked
}

// fork asks for a child and waits for it. One that is forked ahead has time to
// prepare itself.
func (z *zygote) fork(ctx context.Context, ahead bool) (*child, error) {
	near, far, err := newChannel()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	b := &birth{channel: near, born: make(chan birthResult, 1)}
	id, err := z.expect(b)
	if err != nil {
		near.Close()
		return nil, err
	}
	request := message{Op: opFork, ID: id}
	if ahead {
		request.Status = 1
	}
	if err := z.control.send(request, int(far.Fd())); err != nil {
		z.forget(id)
		near.Close()
		return nil, fmt.Errorf("%w: %w", errZygoteGone, err)
	}
	select {
	case r := <-b.born:
		return r.child, r.err
	case <-ctx.Done():
		return nil, z.abandon(ctx, b)
	}
}

func (z *zygote) expect(b *birth) (int64, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.dead {
		return 0, errZygoteGone
	}
	z.forked++
	id := int64(z.forked)
	z.pending[id] = b
	return id, nil
}

func (z *zygote) forget(id int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	delete(z.pending, id)
}

// abandon gives a birth up; a child that comes later, or has come meanwhile, is
// closed.
func (z *zygote) abandon(ctx context.Context, b *birth) error {
	z.mu.Lock()
	b.abandoned = true
	z.mu.Unlock()
	select {
	case r := <-b.born:
		if r.child != nil {
			r.child.Close()
		}
	default:
	}
	return context.Cause(ctx)
}

// serve reads until the zygote ends, then waits for it.
func (z *zygote) serve() {
	defer close(z.ended)
	buf := make([]byte, messageSize)
	for {
		m, _, fd, err := z.control.receive(buf)
		if err != nil {
			break
		}
		switch m.Op {
		case opFork:
			z.born(m, fd)
		case opExit:
			z.exited(m)
		case opStop:
			if c := z.child(m.PID); c != nil {
				c.reportStop()
			}
		}
	}
	z.bury()
}

func (z *zygote) child(pid int64) *child {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.children[pid]
}

// born hands a new child to who asked for it.
func (z *zygote) born(m message, pidfd int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	b := z.pending[m.ID]
	delete(z.pending, m.ID)
	if b == nil || m.Status != 0 || pidfd < 0 {
		if pidfd >= 0 {
			unix.Close(pidfd)
		}
		if b != nil {
			b.channel.Close()
			b.born <- birthResult{err: fmt.Errorf("fork a V8 child: %w", syscall.Errno(m.Status))}
		}
		return
	}
	c := newChild(z, b.channel, pidfd)
	z.children[m.PID] = c
	b.born <- birthResult{child: c}
	if b.abandoned {
		c.Close()
	}
}

func (z *zygote) exited(m message) {
	z.mu.Lock()
	c := z.children[m.PID]
	delete(z.children, m.PID)
	over := z.retired && len(z.children) == 0 && len(z.pending) == 0
	z.mu.Unlock()
	if c != nil {
		c.finish(exitOf(m))
	}
	if over {
		z.hangUp()
	}
}

// retire has the zygote end with its last child.
func (z *zygote) retire() {
	z.mu.Lock()
	z.retired = true
	over := len(z.children) == 0 && len(z.pending) == 0
	z.mu.Unlock()
	if over {
		z.hangUp()
	}
}

// hangUp tells the zygote to end. It still reports how its children did.
func (z *zygote) hangUp() { _ = z.control.conn.CloseWrite() }

// close ends the zygote with all its children and waits for them.
func (z *zygote) close() {
	const patience = 5 * time.Second
	z.hangUp()
	impatient := time.AfterFunc(patience, func() { _ = z.process.Kill() })
	defer impatient.Stop()
	<-z.ended
}

// bury settles what a zygote leaves: its children die with it, though not
// before they are told in the case of one that crashed.
func (z *zygote) bury() {
	z.mu.Lock()
	z.dead = true
	pending, children := z.pending, z.children
	z.pending, z.children = nil, nil
	z.mu.Unlock()
	z.control.conn.Close()
	for _, c := range children {
		c.perish()
	}
	for _, b := range pending {
		b.channel.Close()
		b.born <- birthResult{err: errZygoteGone}
	}
	_, _ = z.process.Wait()
	z.group.remove()
}
