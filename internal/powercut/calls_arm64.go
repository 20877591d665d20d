//go:build linux

package powercut

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// watched are the system calls that change files, or make that durable.
var watched = []int{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_FTRUNCATE, unix.SYS_TRUNCATE,
	unix.SYS_FALLOCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC_FILE_RANGE,
	unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
}

func plain(nr int) (at int, ok bool) { return nr, false }

func callOf(r *syscall.PtraceRegs) (nr int, args [5]uint64) {
	return int(r.Regs[8]), [5]uint64{r.Regs[0], r.Regs[1], r.Regs[2], r.Regs[3], r.Regs[4]}
}

func resultOf(r *syscall.PtraceRegs) int64 { return int64(r.Regs[0]) }
