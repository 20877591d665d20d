package rawlog

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	fsctlSetSparse   = 0x900c4
	fsctlSetZeroData = 0x980c8
)

// punch frees the bytes [from, to) of the file and keeps its size. An
// append-only handle may not do that, so it opens one that may.
func punch(_ *os.File, path string, from, to int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var got uint32
	h := windows.Handle(f.Fd())
	if err := windows.DeviceIoControl(h, fsctlSetSparse, nil, 0, nil, 0, &got, nil); err != nil {
		return fmt.Errorf("make %s sparse: %w", path, err)
	}
	span := [2]int64{from, to}
	in := (*byte)(unsafe.Pointer(&span))
	if err := windows.DeviceIoControl(h, fsctlSetZeroData, in, uint32(unsafe.Sizeof(span)), nil, 0, &got, nil); err != nil {
		return fmt.Errorf("punch hole in %s: %w", path, err)
	}
	return nil
}
