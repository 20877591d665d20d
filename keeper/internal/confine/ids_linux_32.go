//go:build 386 || arm

package confine

import "syscall"

// The calls whose ids have 32 bits.
const (
	setGroups = syscall.SYS_SETGROUPS32
	setGroup  = syscall.SYS_SETRESGID32
	setUser   = syscall.SYS_SETRESUID32

	sysPrlimit = syscall.SYS_PRLIMIT64
)
