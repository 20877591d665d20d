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
	unix.SYS_OPEN, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK, unix.SYS_LINK, unix.SYS_RENAME,
}

// plain calls name files without a folder's descriptor.
func plain(nr int) (at int, ok bool) {
	switch nr {
	case unix.SYS_OPEN:
		return unix.SYS_OPENAT, true
	case unix.SYS_MKDIR:
		return unix.SYS_MKDIRAT, true
	case unix.SYS_RMDIR, unix.SYS_UNLINK:
		return unix.SYS_UNLINKAT, true
	case unix.SYS_LINK:
		return unix.SYS_LINKAT, true
	case unix.SYS_RENAME:
		return unix.SYS_RENAMEAT, true
	}
	return nr, false
}

func callOf(r *syscall.PtraceRegs) (nr int, args [5]uint64) {
	return int(r.Orig_rax), [5]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8}
}

func resultOf(r *syscall.PtraceRegs) int64 { return int64(r.Rax) }
