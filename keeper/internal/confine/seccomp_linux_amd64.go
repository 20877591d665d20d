package confine

import "syscall"

const (
	auditArch  = 0xc000003e
	x32Bit     = 0x40000000
	sysSeccomp = 317
	callSocket = syscall.SYS_SOCKET
	callIoctl  = syscall.SYS_IOCTL
)

// open_by_handle_at clock_adjtime setns finit_module kexec_file_load bpf
// userfaultfd, and what only this architecture has.
var deniedHere = []uint32{304, 305, 308, 313, 320, 321, 323,
	syscall.SYS_IOPL, syscall.SYS_IOPERM, syscall.SYS_MODIFY_LDT, syscall.SYS_USELIB, syscall.SYS_USTAT, syscall.SYS__SYSCTL,
	syscall.SYS_CREATE_MODULE, syscall.SYS_GET_KERNEL_SYMS, syscall.SYS_QUERY_MODULE, syscall.SYS_NFSSERVCTL}

// process_vm_readv process_vm_writev kcmp
var tracingHere = []uint32{310, 311, 312}

var modeCalls = []argCall{{syscall.SYS_CHMOD, 1}, {syscall.SYS_FCHMOD, 1}, {syscall.SYS_FCHMODAT, 2}, {sysFchmodat2, 2},
	{syscall.SYS_CREAT, 1}, {syscall.SYS_MKNOD, 1}, {syscall.SYS_MKNODAT, 2}}

var openCalls = []argCall{{syscall.SYS_OPEN, 1}, {syscall.SYS_OPENAT, 2}}
