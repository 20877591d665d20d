package keeper

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// Adopter holds trees whose host is dead: they go on as jobs of this process,
// though none is its child. The leader's exit is known where the kernel tells
// it to the holder of a pidfd (Linux 6.15); else Wait answers ErrLost when the
// leader has exited.
type Adopter struct{ spawner *spawner }

// NewAdopter returns one that holds nothing yet.
func NewAdopter() *Adopter {
	return &Adopter{&spawner{jobs: make(map[*job]struct{})}}
}

// Adopt takes a tree over. pidfd is the leader's, which the job owns from now
// on; -1 has it opened here if it is still there. A tree of another boot of
// the machine is ErrLost, and nothing of it is left. Nobody is taken for a
// member of the tree who only has the number of one.
func (a *Adopter) Adopt(t Trace, pidfd int) (Job, error) {
	if t.Boot != bootID() {
		return nil, ErrLost
	}
	if pidfd < 0 {
		pidfd, _ = openProcess(t.PID, func(s procs.Stat) bool { return s.Start == t.Start })
	}
	ch := &child{pid: t.PID, adopted: true}
	if pidfd >= 0 && unix.SetNonblock(pidfd, true) == nil {
		ch.fd = os.NewFile(uintptr(pidfd), "pidfd")
	}
	if t.Cgroup == "" {
		return a.hold(t, &groupTree{child: ch, watch: &watch{},
			sweep: &sweep{token: t.Mark, leader: t.PID, start: t.Start, group: t.Group}}), nil
	}
	j := a.hold(t, &cgroupTree{child: ch, dir: t.Cgroup, inner: t.Inner})
	j.frozen = frozenCgroup(t.Cgroup)
	return j, nil
}

func (a *Adopter) hold(t Trace, tr tree) *job {
	return a.spawner.hold(newJob(a.spawner, tr, t.PID, &command{}), nil)
}

// Close gives up every tree; those that live go on.
func (a *Adopter) Close() {
	s := a.spawner
	for _, j := range s.list() {
		j.follow()
		j.tree.abandon()
	}
	s.running.Wait()
	for _, j := range s.list() {
		j.free()
	}
}

func frozenCgroup(dir string) bool {
	b, err := os.ReadFile(dir + "/cgroup.freeze")
	return err == nil && strings.TrimSpace(string(b)) == "1"
}

// How long a process that has ended may take to be reaped by its parent, which
// is when the kernel tells its exit, and how soon it is asked, at first and at
// last. Some machines' first process looks for the dead every few seconds only.
const (
	reapFor   = 10 * time.Second
	reapFirst = 100 * time.Microsecond
	reapLast  = 50 * time.Millisecond
)

// waitAdopted waits for a process that is not a child.
func (c *child) waitAdopted() (Exit, error) {
	if c.fd == nil {
		return Exit{}, ErrLost
	}
	if err := until(c.fd, hasEnded); err != nil {
		return Exit{}, ErrLost
	}
	deadline := time.Now().Add(reapFor)
	for pause := reapFirst; time.Now().Before(deadline); pause = min(2*pause, reapLast) {
		exit, ok, err := c.askExit()
		if ok {
			return exit, nil
		}
		if err != nil || until(c.fd, hasEnded) != nil { // not to be known, or abandoned
			break
		}
		time.Sleep(pause)
	}
	return Exit{}, ErrLost
}

func hasEnded(fd int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}

// askExit asks the kernel, which knows once the process has been reaped.
func (c *child) askExit() (exit Exit, ok bool, err error) {
	rc, err := c.fd.SyscallConn()
	if err != nil {
		return exit, false, err
	}
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	var bad error
	err = rc.Control(func(fd uintptr) { bad = unix.IoctlPidfdInfo(int(fd), &info) })
	if err == nil && bad != nil && bad != unix.ESRCH {
		err = bad // a kernel that does not know the question
	}
	if err != nil || bad != nil || info.Mask&unix.PIDFD_INFO_EXIT == 0 {
		return exit, false, err
	}
	return exitOf(syscall.WaitStatus(info.Exit_code)), true, nil
}
