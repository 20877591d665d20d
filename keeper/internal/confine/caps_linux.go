package confine

import (
	"errors"
	"syscall"
	"unsafe"
)

// capHeader and capData are what capget and capset take, version 3.
type capHeader struct {
	version uint32
	pid     int32
}

type capData struct{ effective, permitted, inheritable uint32 }

const (
	capVersion3 = 0x20080522
	lastCap     = 63
	// No capability comes with user 0, ever again.
	secureNoRoot = 0x1 | 0x2 | 0x4 | 0x8 | 0x40 | 0x80
)

func capset(d *[2]capData) error {
	h := capHeader{version: capVersion3}
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&h)), uintptr(unsafe.Pointer(d)), 0)
	return asError(e)
}

func capget(d *[2]capData) error {
	h := capHeader{version: capVersion3}
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&h)), uintptr(unsafe.Pointer(d)), 0)
	return asError(e)
}

// dropBounds empties the bounding set where this thread may, so that not even
// a file with capabilities gives one back.
func dropBounds() {
	for c := uintptr(0); c <= lastCap; c++ {
		_, _ = prctl(prCapbsetDrop, c, 0)
	}
	_, _ = prctl(prSetSecurebit, secureNoRoot, 0)
	const clearAll = 4
	_, _ = prctl(prCapAmbient, clearAll, 0)
}

// become changes this thread's user and group for good.
func become(user, group int) error {
	_, _, e := syscall.RawSyscall(setGroups, 0, 0, 0)
	if e == 0 {
		_, _, e = syscall.RawSyscall(setGroup, uintptr(group), uintptr(group), uintptr(group))
	}
	if e == 0 {
		_, _, e = syscall.RawSyscall(setUser, uintptr(user), uintptr(user), uintptr(user))
	}
	return asError(e)
}

// dropCapabilities gives all of them up and looks whether they are gone.
func dropCapabilities() error {
	var none, left [2]capData
	if err := capset(&none); err != nil {
		return err
	}
	if err := capget(&left); err != nil {
		return err
	}
	if left != none {
		return errors.New("some stay")
	}
	return nil
}
