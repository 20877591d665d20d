package quickjs

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

func archCalls() []int { return []int{unix.SYS_MMAP} }
