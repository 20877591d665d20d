package quickjs

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

func archCalls() []int {
	return []int{unix.SYS_MMAP, unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_TIME, unix.SYS_ARCH_PRCTL}
}
