package confine

import "syscall"

const (
	auditArch  = 0xc00000b7
	x32Bit     = 0
	sysSeccomp = 277
	callSocket = syscall.SYS_SOCKET
	callIoctl  = syscall.SYS_IOCTL
)

// open_by_handle_at clock_adjtime setns finit_module kexec_file_load bpf
// userfaultfd
var deniedHere = []uint32{265, 266, 268, 273, 294, 280, 282}

// process_vm_readv process_vm_writev kcmp
var tracingHere = []uint32{270, 271, 272}

var modeCalls = []argCall{{syscall.SYS_FCHMOD, 1}, {syscall.SYS_FCHMODAT, 2}, {sysFchmodat2, 2}, {syscall.SYS_MKNODAT, 2}}

var openCalls = []argCall{{syscall.SYS_OPENAT, 2}}
