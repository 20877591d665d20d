//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, so that a terminal's
// signals do not reach it and that it can be ended with what it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// endGroup asks a command's group to end, or kills it.
func endGroup(cmd *exec.Cmd, now bool) {
	s := syscall.SIGTERM
	if now {
		s = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, s) // gone already: all the better
}
