package keeper

import (
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is a direct child of this process.
type child struct {
	pid  int
	end  <-chan notice // nil if it had ended before it could be watched
	quit chan struct{}
	once sync.Once // closes quit

	mu     sync.Mutex // guards the rest
	usage  Usage
	reaped bool
}

// start starts a command and watches it.
func (x *exits) start(c *command, sys *syscall.SysProcAttr) (*child, lease, error) {
	if err := c.settleUnconfined(); err != nil {
		return nil, lease{}, err
	}
	files := make([]uintptr, 0, len(c.files))
	for _, f := range c.files {
		files = append(files, f.Fd())
	}
	c.ownTerminal(sys)
	pid, err := syscall.ForkExec(c.path, c.argv, &syscall.ProcAttr{Dir: c.dir, Env: c.env, Files: files, Sys: sys})
	runtime.KeepAlive(c)
	if err != nil {
		return nil, lease{}, c.explain(err)
	}
	ch := &child{pid: pid, quit: make(chan struct{})}
	end, err := x.expect(pid, unix.NOTE_EXIT|unix.NOTE_EXITSTATUS)
	switch err {
	case nil:
		ch.end = end
	case unix.ESRCH: // a zombie already
	default:
		_ = syscall.Kill(pid, syscall.SIGKILL) // not reaped: the pid is the child's
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		return nil, lease{}, &SpawnError{Op: OpHold, Path: "kevent", Err: err}
	}
	return ch, lease{}, nil
}

// waitKeep returns when the child has exited. It stays a zombie, and its pid
// its own, until reap; except for one that ended before it could be watched,
// whose status only reaping tells.
func (c *child) waitKeep() (Exit, error) {
	if c.end == nil {
		ws, ok := c.bury(0)
		if !ok {
			return Exit{}, ErrLost
		}
		return exitOf(ws), nil
	}
	select {
	case n := <-c.end:
		return exitOf(n.status), nil
	case <-c.quit:
		return Exit{}, ErrLost
	}
}

// reap buries a child that waitKeep has left a zombie.
func (c *child) reap() { c.bury(0) }

func (c *child) bury(options int) (syscall.WaitStatus, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return 0, false
	}
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	for {
		pid, err := syscall.Wait4(c.pid, &ws, options, &ru)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid != c.pid {
			return 0, false
		}
		break
	}
	c.reaped = true
	c.usage = Usage{CPU: time.Duration(ru.Utime.Nano() + ru.Stime.Nano()), MaxRSS: ru.Maxrss}
	return ws, true
}

// isReaped reports whether the child's pid may belong to somebody else.
func (c *child) isReaped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reaped
}

func (c *child) lastUsage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

// abandon makes a wait in progress, and every later one, return.
func (c *child) abandon() { c.once.Do(func() { close(c.quit) }) }

// close gives the child up; if it has ended unnoticed, it is reaped.
func (c *child) close() { c.bury(syscall.WNOHANG) }
