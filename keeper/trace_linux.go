package keeper

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

var _ Traceable = (*job)(nil)

// traced is a tree that can be found again.
type traced interface {
	trace(leader int) Trace
	pidfd(leader int) (int, error)
}

// bootID names this boot of the machine.
var bootID = sync.OnceValue(func() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
})

// Trace is how the job's tree is found again.
func (j *job) Trace() Trace {
	t := j.traced().trace(j.pid)
	t.PID, t.Boot = j.pid, bootID()
	return t
}

// Pidfd returns a descriptor of the leader.
func (j *job) Pidfd() (int, error) { return j.traced().pidfd(j.pid) }

// Frozen reports whether the tree is frozen.
func (j *job) Frozen() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.frozen && !j.isEmpty
}

func (j *job) traced() traced {
	t := j.tree
	if in, ok := t.(*terminalTree); ok {
		t = in.tree
	}
	return t.(traced)
}

func (t *cgroupTree) trace(pid int) Trace {
	return Trace{Tier: TierCgroup2, Start: startOf(pid), Cgroup: t.dir, Inner: t.inner, Group: true}
}

// pidfd of a leader in a pid namespace is that of its first process's child.
func (t *cgroupTree) pidfd(leader int) (int, error) {
	if t.boss == nil {
		return t.child.pidfd()
	}
	return openProcess(leader, func(s procs.Stat) bool { return s.PPID == t.child.pid })
}

func (t *groupTree) trace(int) Trace {
	return Trace{Tier: TierGroup, Start: t.sweep.start, Mark: t.sweep.token, Group: t.sweep.group}
}

func (t *groupTree) pidfd(int) (int, error) { return t.child.pidfd() }

func (t *subreaperTree) trace(int) Trace {
	return Trace{Tier: TierSubreaper, Start: t.sweep.start, Mark: t.sweep.token, Group: t.sweep.group}
}

// pidfd opens the leader, which is the subreaper's child: the number is the
// leader's as long as its parent is the subreaper.
func (t *subreaperTree) pidfd(int) (int, error) {
	return openProcess(t.sweep.leader, func(s procs.Stat) bool {
		return s.PPID == t.worker.proc.pid && s.Start == t.sweep.start
	})
}

func (c *child) pidfd() (int, error) {
	if c.fd == nil {
		return -1, ErrLost
	}
	return duplicateFD(c.fd)
}

// openProcess returns a non-blocking pidfd of the process that same confirms.
func openProcess(pid int, same func(procs.Stat) bool) (int, error) {
	fd, err := procs.OpenPidfd(pid)
	if err != nil {
		return -1, fmt.Errorf("open process %d: %w", pid, err)
	}
	if s, err := procs.Read(pid); err != nil || !same(s) || unix.SetNonblock(fd, true) != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("open process %d: %w", pid, unix.ESRCH)
	}
	return fd, nil
}
