package confine

import (
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have; from 424 on they are the same on
// every architecture but MIPS and Alpha.
const (
	sysOpenTree       = 428
	sysMoveMount      = 429
	sysClone3         = 435
	sysOpenat2        = 437
	sysPidfdGetfd     = 438
	sysMountSetattr   = 442
	sysLandlockCreate = 444
	sysLandlockAdd    = 445
	sysLandlockSelf   = 446
	sysFchmodat2      = 452
)

const (
	prCapbsetDrop  = 24
	prSetSecurebit = 28
	prSetNoNewPriv = 38
	prGetNoNewPriv = 39
	prCapAmbient   = 47

	oPath       = 0x200000
	atEmptyPath = 0x1000
	atRecursive = 0x8000
)

func prctl(option int, a, b uintptr) (int, error) {
	n, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, uintptr(option), a, b, 0, 0, 0)
	return int(n), asError(e)
}

func asError(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// cstring is a string as the kernel reads it. It may hold no NUL, which the
// keeper has checked.
func cstring(s string) unsafe.Pointer {
	b := append([]byte(s), 0)
	return unsafe.Pointer(&b[0])
}

func openPath(path string, flags int) (int, error) {
	return syscall.Open(path, oPath|syscall.O_CLOEXEC|flags, 0)
}
