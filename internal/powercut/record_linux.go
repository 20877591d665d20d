//go:build linux && (amd64 || arm64)

package powercut

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrUntraceable says that this machine does not let a program be traced.
var ErrUntraceable = errors.New("programs cannot be traced here")

// wnothread makes a wait one for what this thread traces.
const wnothread = 0x20000000

// Record runs a program to its end, and records what it does below a folder,
// which is empty at first, and what it prints. The program's Stdout is not used.
func Record(cmd *exec.Cmd, folder string) (*Log, error) {
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUntraceable, err)
	}
	pid := cmd.Process.Pid
	defer func() { _ = cmd.Process.Release() }() // it is waited for here
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, syscall.WALL, nil); err != nil || !ws.Stopped() {
		return nil, fmt.Errorf("%w: %w (%v)", ErrUntraceable, err, ws)
	}
	const options = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACESYSGOOD
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUntraceable, err)
	}
	t := &tracer{leader: pid, model: newModel(folder), calls: map[int]*call{}, known: map[int]bool{pid: true}}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		return nil, err
	}
	code, err := t.follow()
	if err == nil && code != 0 {
		err = fmt.Errorf("the program ended with %d", code)
	}
	return &t.model.log, err
}

// tracer follows the threads of a program.
type tracer struct {
	leader int
	model  *model
	calls  map[int]*call // by thread: the one it is in
	known  map[int]bool  // threads that have had their first stop
}

// follow returns how the leader ended, when all have.
func (t *tracer) follow() (code int, err error) {
	for {
		var ws syscall.WaitStatus
		tid, werr := syscall.Wait4(-1, &ws, syscall.WALL|wnothread, nil)
		switch {
		case werr == syscall.EINTR:
			continue
		case werr == syscall.ECHILD:
			return code, err
		case werr != nil:
			return code, werr
		}
		if !ws.Stopped() {
			if tid == t.leader {
				code = ws.ExitStatus()
			}
			continue
		}
		if serr := t.stopped(tid, ws); serr != nil && err == nil && !errors.Is(serr, syscall.ESRCH) { // killed meanwhile
			err = serr
		}
	}
}

// stopped looks at why a thread stands, and lets it go on.
func (t *tracer) stopped(tid int, ws syscall.WaitStatus) error {
	sig := ws.StopSignal()
	switch {
	case sig == syscall.SIGTRAP|0x80: // a call has returned
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
			return err
		}
		if c := t.calls[tid]; c != nil {
			delete(t.calls, tid)
			t.model.returned(c, resultOf(&regs))
		}
	case sig == syscall.SIGTRAP && ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
			return err
		}
		nr, args := callOf(&regs)
		c, err := t.model.called(tid, nr, args)
		if err != nil || c == nil {
			return errors.Join(err, syscall.PtraceCont(tid, 0))
		}
		t.calls[tid] = c
		return syscall.PtraceSyscall(tid, 0)
	case sig == syscall.SIGTRAP: // a thread or a child was made
	case sig == syscall.SIGSTOP && !t.known[tid]: // and begins
		t.known[tid] = true
	default:
		return syscall.PtraceCont(tid, int(sig))
	}
	return syscall.PtraceCont(tid, 0)
}
