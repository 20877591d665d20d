package keeper

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// jobHolder holds each tree by a Job Object. A process is created suspended,
// put into its job and only then resumed, so that no child of it is born
// outside. All jobs report to one completion port, read by one goroutine.
type jobHolder struct {
	port windows.Handle
	done chan struct{}

	mu    sync.Mutex // guards the rest
	next  uintptr
	trees map[uintptr]*jobTree // by completion key
}

// Messages of a Job Object to its completion port.
const (
	msgActiveProcessZero   = 4
	msgExitProcess         = 7
	msgAbnormalExitProcess = 8
)

// keyQuit ends the reader of the port.
const keyQuit = 0

func openJobObjects() (*jobHolder, error) {
	port, err := windows.CreateIoCompletionPort(windows.InvalidHandle, 0, 0, 1)
	if err != nil {
		return nil, fmt.Errorf("create a completion port: %w", err)
	}
	h := &jobHolder{port: port, done: make(chan struct{}), trees: make(map[uintptr]*jobTree)}
	go h.run()
	return h, nil
}

// run nudges the tree that a message is about; what the message says is not
// relied on, since not all are delivered.
func (h *jobHolder) run() {
	defer close(h.done)
	for {
		var msg uint32
		var key uintptr
		var pid *windows.Overlapped // for these messages a process id
		if err := windows.GetQueuedCompletionStatus(h.port, &msg, &key, &pid, windows.INFINITE); err != nil || key == keyQuit {
			return
		}
		switch msg {
		case msgActiveProcessZero, msgExitProcess, msgAbnormalExitProcess:
		default:
			continue
		}
		h.mu.Lock()
		t := h.trees[key]
		h.mu.Unlock()
		if t != nil {
			t.nudge()
		}
	}
}

func (h *jobHolder) close() error {
	if err := windows.PostQueuedCompletionStatus(h.port, 0, keyQuit, nil); err != nil {
		return fmt.Errorf("end the completion port: %w", err)
	}
	<-h.done
	return windows.CloseHandle(h.port)
}

func (h *jobHolder) start(c *command) (tree, int, error) {
	hold := func(err error) error { return &SpawnError{Op: OpHold, Path: "job object", Err: err} }
	c.told.hold(confine.TreeKill)
	t, err := h.newTree(c)
	if err != nil {
		return nil, 0, hold(err)
	}
	if err := c.settleUnconfined(); err != nil {
		t.free()
		return nil, 0, err
	}
	pid, handle, err := startSuspended(c)
	if err != nil {
		t.free()
		return nil, 0, c.explain(err)
	}
	t.pid, t.leader = uint32(pid), handle
	err = windows.AssignProcessToJobObject(t.job, handle)
	if err == nil {
		err = resume(handle)
	}
	if err != nil {
		_ = windows.TerminateProcess(handle, killCode)
		t.free()
		return nil, 0, hold(err)
	}
	return t, pid, nil
}

func startSuspended(c *command) (int, windows.Handle, error) {
	flags := uint32(windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP)
	if c.hide {
		flags |= windows.CREATE_NO_WINDOW
	}
	var files []uintptr
	for _, f := range c.files {
		files = append(files, f.Fd())
	}
	pid, handle, err := syscall.StartProcess(c.path, c.argv, &syscall.ProcAttr{
		Dir: c.dir, Env: c.env, Files: files,
		Sys: &syscall.SysProcAttr{CreationFlags: flags, HideWindow: c.hide},
	})
	runtime.KeepAlive(c)
	return pid, windows.Handle(handle), err
}

// resume starts the threads of a suspended process. The documented way needs
// the first thread's handle, which package syscall closes.
func resume(process windows.Handle) error {
	status, _, _ := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess").Call(uintptr(process))
	if status != 0 {
		return fmt.Errorf("resume the process: %w", windows.NTStatus(status).Errno())
	}
	return nil
}

type associatePort struct {
	key  uintptr
	port windows.Handle
}

// newTree makes a Job Object that dies with its last handle, with what limits
// it can have.
func (h *jobHolder) newTree(c *command) (*jobTree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.next++
	t := &jobTree{holder: h, key: h.next, job: job, nudged: make(chan struct{}, 1), quit: make(chan struct{})}
	h.trees[t.key] = t
	h.mu.Unlock()
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if c.limits.Memory > 0 {
		limits.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		limits.JobMemoryLimit = uintptr(c.limits.Memory)
		c.told.hold(confine.Memory)
	}
	if c.limits.PIDs > 0 {
		limits.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		limits.BasicLimitInformation.ActiveProcessLimit = uint32(c.limits.PIDs)
		c.told.hold(confine.PIDs)
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		assoc := associatePort{key: t.key, port: h.port}
		_, err = windows.SetInformationJobObject(job, windows.JobObjectAssociateCompletionPortInformation,
			uintptr(unsafe.Pointer(&assoc)), uint32(unsafe.Sizeof(assoc)))
	}
	if err != nil {
		t.free()
		return nil, err
	}
	return t, nil
}
