//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// nursery keeps children of one kind forked ahead, from one zygote at a time.
// One goroutine refills it; whoever finds it empty forks for himself.
type nursery struct {
	config  Config
	jitless bool

	starting chan struct{} // a token: who holds it may start a zygote
	taken    chan struct{} // wakes the goroutine that refills
	life     context.Context
	end      context.CancelFunc
	filling  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	current *zygote
	zygotes []*zygote // all that may live, the current one included
	ready   []*child
	closed  bool
}

func newNursery(c Config, jitless bool) *nursery {
	n := &nursery{config: c, jitless: jitless, starting: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
	n.life, n.end = context.WithCancel(context.Background())
	return n
}

// start begins to refill.
func (n *nursery) start() {
	n.filling.Go(func() {
		for {
			select {
			case <-n.life.Done():
				return
			case <-n.taken:
			}
			err := errors.Join(n.renew(n.life), n.fill(n.life))
			if err != nil && n.life.Err() == nil {
				n.config.Logger.Warn("no V8 child was forked ahead", "error", err)
			}
		}
	})
}

// take returns a child that has not ended.
func (n *nursery) take(ctx context.Context) (*child, error) {
	defer n.wake()
	if c := n.pop(); c != nil {
		return c, nil
	}
	return n.fork(ctx, false)
}

func (n *nursery) wake() {
	select {
	case n.taken <- struct{}{}:
	default:
	}
}

// pop returns the oldest of those forked ahead, or nil.
func (n *nursery) pop() *child {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.ready) > 0 {
		c := n.ready[0]
		n.ready = slices.Delete(n.ready, 0, 1)
		if c.lives() {
			return c
		}
		c.Close() // its zygote has died, or the kernel needed its memory
	}
	return nil
}

// fork forks a child, from another zygote if the current one turns out dead.
func (n *nursery) fork(ctx context.Context, ahead bool) (*child, error) {
	const attempts = 3
	var failed error
	for range attempts {
		z, err := n.zygote(ctx)
		if err != nil {
			return nil, err
		}
		c, err := z.fork(ctx, ahead)
		if !errors.Is(err, errZygoteGone) {
			return c, err
		}
		failed = err
	}
	return nil, failed
}

// fill forks ahead until there are enough.
func (n *nursery) fill(ctx context.Context) error {
	for n.missing() {
		c, err := n.fork(ctx, true)
		if err != nil {
			return err
		}
		n.mu.Lock()
		n.ready = append(n.ready, c)
		n.mu.Unlock()
	}
	return nil
}

func (n *nursery) missing() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.closed && len(n.ready) < n.config.Ahead
}

// zygote returns the current zygote, and starts one if there is none alive.
func (n *nursery) zygote(ctx context.Context) (*zygote, error) {
	return n.zygoteUnless(ctx, func(z *zygote) bool { return z.gone() })
}

// renew replaces a zygote that has forked many; the old one lives on until its
// last child has ended.
func (n *nursery) renew(ctx context.Context) error {
	_, err := n.zygoteUnless(ctx, func(z *zygote) bool { return z.gone() || z.forks() >= n.config.Refresh })
	return err
}

func (n *nursery) zygoteUnless(ctx context.Context, spent func(*zygote) bool) (*zygote, error) {
	select {
	case n.starting <- struct{}{}:
		defer func() { <-n.starting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	n.mu.Lock()
	old, closed := n.current, n.closed
	n.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	if old != nil && !spent(old) {
		return old, nil
	}
	z, err := startZygote(ctx, n.config, n.jitless)
	if err != nil {
		return nil, err
	}
	if !n.adopt(z) {
		z.close()
		return nil, errClosed
	}
	if old != nil {
		old.retire()
	}
	return z, nil
}

// adopt makes a zygote the current one, unless the nursery has been closed.
func (n *nursery) adopt(z *zygote) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	n.zygotes = slices.DeleteFunc(n.zygotes, func(z *zygote) bool { return z.gone() })
	n.zygotes = append(n.zygotes, z)
	n.current = z
	return true
}

// close ends all zygotes, and so all children, and waits for them.
func (n *nursery) close() {
	n.end()
	n.mu.Lock()
	n.closed = true
	zygotes, ready := n.zygotes, n.ready
	n.zygotes, n.ready, n.current = nil, nil, nil
	n.mu.Unlock()
	for _, c := range ready {
		c.Close()
	}
	for _, z := range zygotes {
		z.close()
	}
	n.filling.Wait()
	for _, c := range n.takeReady() {
		c.Close() // forked while this was closing
	}
}

func (n *nursery) takeReady() []*child {
	n.mu.Lock()
	defer n.mu.Unlock()
	ready := n.ready
	n.ready = nil
	return ready
}
