//go:build !386 && !arm

package confine

import "syscall"

const (
	setGroups = syscall.SYS_SETGROUPS
	setGroup  = syscall.SYS_SETRESGID
	setUser   = syscall.SYS_SETRESUID

	sysPrlimit = syscall.SYS_PRLIMIT64
)
