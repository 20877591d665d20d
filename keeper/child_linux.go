package keeper

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// child is a direct child of this process, held by a pidfd that lies in Go's
// poller: waiting for it costs a goroutine, not a thread.
//
// One that was adopted is somebody else's child: it is waited for in another
// way, and is never reaped here.
type child struct {
	pid     int
	fd      *os.File // nil: an adopted one that was gone already
	adopted bool

	mu     sync.Mutex // guards the rest
	usage  Usage      // of the child and what it waited for; set at its end
	reaped bool
}

// forkExec starts a command. The attributes are the tier's; more files follow
// the standard three.
func forkExec(c *command, sys *syscall.SysProcAttr, more ...*os.File) (*child, error) {
	files := make([]uintptr, 0, len(c.files)+len(more))
	for _, f := range append(c.files[:], more...) {
		// Fd also makes the file blocking, which the child expects.
		files = append(files, f.Fd())
	}
	c.ownTerminal(sys)
	pidfd := -1
	sys.PidFD = &pidfd
	pid, err := syscall.ForkExec(c.path, c.argv, &syscall.ProcAttr{Dir: c.dir, Env: c.env, Files: files, Sys: sys})
	runtime.KeepAlive(c)
	runtime.KeepAlive(more)
	if err != nil {
		return nil, c.explain(err)
	}
	return holdChild(pid, pidfd)
}

// holdChild takes over a child that has just been born.
func holdChild(pid, pidfd int) (*child, error) {
	var err error = syscall.ENOSYS
	if pidfd >= 0 {
		err = unix.SetNonblock(pidfd, true)
	}
	if err != nil {
		// Not reaped yet, so the bare pid is still the child's.
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		return nil, &SpawnError{Op: OpHold, Path: "pidfd", Err: err}
	}
	return &child{pid: pid, fd: os.NewFile(uintptr(pidfd), "pidfd")}, nil
}

// wait returns when the child has exited, and reaps it.
func (c *child) wait() (Exit, error) { return c.waitid(0) }

// waitKeep returns when the child has exited. It stays a zombie, and its pid
// its own, until reap.
func (c *child) waitKeep() (Exit, error) { return c.waitid(procs.NoWait) }

// reap buries a child that waitKeep has left a zombie.
func (c *child) reap() { _, _ = c.waitid(0) }

func (c *child) waitid(options int) (Exit, error) {
	if c.adopted {
		return c.waitAdopted()
	}
	rc, err := c.fd.SyscallConn()
	if err != nil {
		return Exit{}, ErrLost
	}
	var exit Exit
	var bad error
	err = rc.Read(func(fd uintptr) bool {
		pid, ws, ru, err := procs.Waitid(procs.PPidfd, int(fd), options|syscall.WNOHANG)
		if err == nil && pid == 0 {
			return false
		}
		if bad = err; err == nil {
			exit = exitOf(ws)
			c.ended(usageOf(&ru), options&procs.NoWait == 0)
		}
		return true
	})
	if err != nil || bad != nil {
		return Exit{}, ErrLost // abandoned, or reaped by a stranger
	}
	return exit, nil
}

func (c *child) ended(u Usage, reaped bool) {
	c.mu.Lock()
	c.usage, c.reaped = u, reaped
	c.mu.Unlock()
}

func (c *child) lastUsage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

// abandon makes a wait in progress, and every later one, return.
func (c *child) abandon() {
	if c.fd != nil {
		_ = c.fd.SetReadDeadline(time.Unix(1, 0))
	}
}

// close gives the child up; if it has ended unnoticed, it is reaped.
func (c *child) close() {
	if c.adopted {
		if c.fd != nil {
			c.fd.Close()
		}
		return
	}
	if rc, err := c.fd.SyscallConn(); err == nil && !c.isReaped() {
		_ = rc.Control(func(fd uintptr) {
			_, _, _, _ = procs.Waitid(procs.PPidfd, int(fd), syscall.WNOHANG)
		})
	}
	c.fd.Close()
}

// isReaped reports whether the child's pid may belong to somebody else.
func (c *child) isReaped() bool {
	if c.adopted {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reaped
}

// usageOf reads a child's rusage. Its peak memory is not simply the child's:
// until exec a child runs in its parent's memory, and the kernel counts that.
// A peak no higher than this process's own therefore says nothing.
func usageOf(ru *syscall.Rusage) Usage {
	u := Usage{CPU: time.Duration(ru.Utime.Nano() + ru.Stime.Nano())}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil && ru.Maxrss > own.Maxrss {
		u.MaxRSS = int64(ru.Maxrss) * 1024
	}
	return u
}
