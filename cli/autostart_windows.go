package cli

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach gives a daemon no console, and the pipe as an inherited handle.
func detach(cmd *exec.Cmd, pipe *os.File) error {
	h := pipe.Fd()
	if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
		return os.NewSyscallError("SetHandleInformation", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags:              windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
		AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(h)},
	}
	cmd.Env = append(cmd.Env, readyVariable+"="+strconv.FormatUint(uint64(h), 10))
	return nil
}

// inherited returns a handle that detach passed on; nil if it is none.
func inherited(handle string) *os.File {
	n, err := strconv.ParseUint(handle, 10, 64)
	if err != nil {
		return nil
	}
	_ = windows.SetHandleInformation(windows.Handle(n), windows.HANDLE_FLAG_INHERIT, 0)
	return os.NewFile(uintptr(n), "report")
}
