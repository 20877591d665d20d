//go:build linux || darwin

package handover

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

var rightsSpace = unix.CmsgSpace(4 * maxFiles)

func rights(files []int) []byte {
	if len(files) == 0 {
		return nil
	}
	return unix.UnixRights(files...)
}

// received makes files of the descriptors that came with a message; package net
// has marked them close-on-exec.
func received(oob []byte) (files []*os.File) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "handed over"))
		}
	}
	return files
}

// Duplicate returns a descriptor of its own for what has one. It leaves the
// original as it is, which os.File.Fd and the File methods of package net do not
// promise.
func Duplicate(of syscall.Conn) (fd int, err error) {
	raw, err := of.SyscallConn()
	if err != nil {
		return 0, err
	}
	bad := raw.Control(func(n uintptr) {
		fd, err = unix.FcntlInt(n, unix.F_DUPFD_CLOEXEC, 0)
	})
	if bad != nil {
		err = bad
	}
	return fd, os.NewSyscallError("fcntl", err)
}

// CloseDuplicates closes what Duplicate made.
func CloseDuplicates(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
