//go:build unix

package keeper

import (
	"context"
	"sync"
	"syscall"
	"time"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/process"
)

// groupHolder holds each tree by its process group and a sweep: the last
// resort. A process that sheds group, mark and parents escapes.
type groupHolder struct {
	group bool
	exits *exits
}

func openGroup(o Options) (*groupHolder, error) {
	x, err := newExits(o)
	if err != nil {
		return nil, err
	}
	return &groupHolder{group: !o.NoGroup, exits: x}, nil
}

func (h *groupHolder) close() error { return h.exits.close() }

func (h *groupHolder) start(c *command) (tree, int, error) {
	if h.exits.holds(c) {
		return h.exits.hold(c)
	}
	token := newToken()
	c.env = withMark(c.env, token)
	c.told.lack(confine.TreeKill, "a process that sheds its group, its parents and its environment escapes a process group")
	ch, l, err := h.exits.start(c, &syscall.SysProcAttr{Setsid: h.group})
	if err != nil {
		return nil, 0, err
	}
	t := &groupTree{child: ch, lease: l, watch: h.exits.watch(), sweep: &sweep{token: token, leader: ch.pid, start: startOf(ch.pid), group: h.group || c.tty}}
	return t, ch.pid, nil
}

// groupTree is a tree held by its leader's number: the leader is reaped last,
// so that until then nobody else can have its pid, group or session.
type groupTree struct {
	child *child
	lease lease
	sweep *sweep
	watch *watch
	stops stops

	mu sync.Mutex // held while the leader is reaped and while the group is signalled
}

func (t *groupTree) waitLeader() (Exit, error) { return t.child.waitKeep() }

// waitEmpty looks for what is left and waits for one of them to end, until
// nothing is left.
func (t *groupTree) waitEmpty() error {
	for {
		left, err := t.find()
		if err != nil {
			return ErrLost
		}
		if len(left) == 0 {
			t.mu.Lock()
			t.child.reap()
			t.mu.Unlock()
			return nil
		}
		one := left[0]
		if _, err := t.watch.waitGone(one.PID, func(pid int) bool {
			now, err := procs.Read(pid)
			return err == nil && now.Start == one.Start
		}); err != nil {
			return ErrLost
		}
	}
}

// find returns the living processes of the tree.
func (t *groupTree) find() ([]procs.Stat, error) { return t.sweep.find() }

func (t *groupTree) settle() {}

func (t *groupTree) emptyNow() bool {
	left, err := t.find()
	return err == nil && len(left) == 0
}

// kill kills the group at once, forks in progress included, and the rest one
// by one.
func (t *groupTree) kill() error {
	_, err := t.sweep.kill(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.child.isReaped() && t.sweep.group {
			_ = syscall.Kill(-t.child.pid, syscall.SIGKILL)
		}
	})
	return err
}

func (t *groupTree) signal(s process.Signal) (int, error) {
	l := stats{list: t.find}
	return l.signal(osSignal(s))
}

func (t *groupTree) freeze(ctx context.Context) error { return t.stops.freeze(ctx, t.find) }

func (t *groupTree) thaw() error { return t.stops.thaw() }

func (t *groupTree) members() []process.Survivor {
	l := stats{list: t.find}
	pids, _ := l.pids()
	return survivors(pids)
}

// usage is that of the leader and what it waited for, or, while it lives, of
// what can be found.
func (t *groupTree) usage(live bool) Usage {
	u := t.child.lastUsage()
	if t.child.isReaped() {
		return u
	}
	found, _ := t.find()
	var cpu time.Duration
	for _, s := range found {
		cpu += s.CPU + s.Kids
		if live {
			u.held(s)
		}
	}
	u.CPU = max(u.CPU, cpu)
	return u
}

func (t *groupTree) abandon() {
	t.child.abandon()
	t.watch.close()
}

func (t *groupTree) overran() Limit { return t.lease.overran() }

func (t *groupTree) free() {
	t.child.close()
	t.lease.end()
}
