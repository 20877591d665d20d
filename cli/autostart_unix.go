//go:build unix

package cli

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// detach gives a daemon a session and a directory of its own, and the pipe as
// its descriptor 3.
func detach(cmd *exec.Cmd, pipe *os.File) error {
	keepDescriptors()
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{pipe}
	cmd.Env = append(cmd.Env, readyVariable+"=3")
	return nil
}

// keepDescriptors keeps what this program inherited from its own parent from
// the daemon: a lock that a script holds by a descriptor would never end.
func keepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, f := range open {
		if n, err := strconv.Atoi(f.Name()); err == nil && n > 2 {
			syscall.CloseOnExec(n)
		}
	}
}

// inherited returns a descriptor that detach passed on; nil if it is none.
func inherited(fd string) *os.File {
	n, err := strconv.Atoi(fd)
	if err != nil || n < 3 {
		return nil
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), "report")
}
