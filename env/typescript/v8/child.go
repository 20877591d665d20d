//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// child is an engine.Child: a channel and a pidfd.
type child struct {
	zygote  *zygote
	channel *os.File
	pid     int           // ours for it, not the zygote's; 0 if it cannot be known
	stops   chan struct{} // a stop was reported; holds one
	done    chan struct{} // closed when exit is set
	exit    engine.Exit

	mu    sync.Mutex
	pidfd int // -1 once closed
}

var (
	_ engine.Child   = (*child)(nil)
	_ engine.Metered = (*child)(nil)
)

// newChannel returns both ends of a child's channel; the near one is in Go's
// poller, the far one blocks.
func newChannel() (near, far *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("channel of a V8 child: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, fmt.Errorf("channel of a V8 child: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "v8 child"), os.NewFile(uintptr(fds[1]), "v8 child"), nil
}

func newChild(z *zygote, channel *os.File, pidfd int) *child {
	return &child{zygote: z, channel: channel, pid: pidOf(pidfd), pidfd: pidfd,
		stops: make(chan struct{}, 1), done: make(chan struct{})}
}

// pidOf returns the pid behind a pidfd as this process sees it.
func pidOf(pidfd int) int {
	info, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if text, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(text))
			return max(pid, 0)
		}
	}
	return 0
}

// Read reads from the channel. A child that ended with something unread is at
// its end like any other.
func (c *child) Read(p []byte) (int, error) {
	n, err := c.channel.Read(p)
	if errors.Is(err, syscall.ECONNRESET) {
		err = io.EOF
	}
	return n, err
}

// Write writes to the channel.
func (c *child) Write(p []byte) (int, error) { return c.channel.Write(p) }

// PID is for showing.
func (c *child) PID() int { return c.pid }

// Kill ends it at once.
func (c *child) Kill() { _ = c.signal(unix.SIGKILL) }

// signal is no error for a child that has ended.
func (c *child) signal(s syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pidfd < 0 {
		return nil
	}
	err := unix.PidfdSendSignal(c.pidfd, s, nil, 0)
	if err == unix.ESRCH {
		return nil
	}
	return err
}

// Stop returns when it is stopped or has ended. If ctx ends before, it goes on.
func (c *child) Stop(ctx context.Context) error {
	if err := c.signal(unix.SIGSTOP); err != nil {
		return fmt.Errorf("stop a V8 child: %w", err)
	}
	for told := false; ; told = true {
		if stopped, known := c.isStopped(); stopped || told && !known {
			return nil
		}
		select {
		case <-c.stops: // it may be an earlier one's
		case <-c.done:
			return nil
		case <-ctx.Done():
			_ = c.Continue()
			return context.Cause(ctx)
		}
	}
}

// isStopped asks the kernel; known says whether it would tell.
func (c *child) isStopped() (stopped, known bool) {
	if c.pid == 0 {
		return false, false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(c.pid) + "/stat")
	if err != nil {
		return false, false
	}
	_, state, ok := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "T"), ok
}

// CPU is the processor time it has used so far, in all its threads: that of the
// clock whose number is made of its pid.
func (c *child) CPU() time.Duration {
	const scheduled = 2 // of the three clocks that a process has, the exact one
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid == 0 || c.pidfd < 0 {
		return 0
	}
	var used unix.Timespec
	if unix.ClockGettime(int32(^c.pid<<3|scheduled), &used) != nil || unix.PidfdSendSignal(c.pidfd, 0, nil, 0) != nil {
		return 0 // it has ended: the number may be another's by now
	}
	return time.Duration(used.Nano())
}

func (c *child) reportStop() {
	select {
	case c.stops <- struct{}{}:
	default:
	}
}

// Continue undoes Stop.
func (c *child) Continue() error {
	if err := c.signal(unix.SIGCONT); err != nil {
		return fmt.Errorf("continue a V8 child: %w", err)
	}
	return nil
}

// Wait returns how it ended.
func (c *child) Wait(ctx context.Context) (engine.Exit, error) {
	select {
	case <-c.done:
		return c.exit, nil
	case <-ctx.Done():
		return engine.Exit{}, context.Cause(ctx)
	}
}

// Close kills it if it lives; its zygote still reports the end.
func (c *child) Close() error {
	c.Kill()
	c.mu.Lock()
	if c.pidfd >= 0 {
		unix.Close(c.pidfd)
		c.pidfd = -1
	}
	c.mu.Unlock()
	if err := c.channel.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// lives asks the kernel: a report of the end may still be on its way.
func (c *child) lives() bool {
	if c.zygote.gone() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pidfd < 0 {
		return false
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}, 0)
	return err != nil || n == 0
}

// finish is called once, by the goroutine that serves its zygote.
func (c *child) finish(e engine.Exit) {
	c.exit = e
	close(c.done)
}

// perish ends a child whose zygote has died and can tell nothing of it.
func (c *child) perish() {
	const patience = 5_000 // ms; the kernel kills it at once
	c.Kill()
	c.mu.Lock()
	if c.pidfd >= 0 {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}, patience)
	}
	c.mu.Unlock()
	c.finish(engine.Exit{Code: -1, Signal: "SIGKILL"})
}

func exitOf(m message) engine.Exit {
	e := engine.Exit{CPU: time.Duration(m.CPU) * time.Microsecond, MaxRSS: m.RSS}
	status := syscall.WaitStatus(m.Status)
	if status.Signaled() {
		e.Code, e.Signal = -1, unix.SignalName(status.Signal())
	} else {
		e.Code = status.ExitStatus()
	}
	return e
}
