//go:build unix

package lab

import "syscall"

// ownGroup keeps the terminal's Ctrl-C from a child: it would be the first of
// two signals to stop, and the second one makes a daemon leave at once.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// profileSignal ends the profile of a daemon.
const profileSignal = syscall.SIGUSR2
