package procs

import (
	"syscall"
	"unsafe"
)

// The numbers are the same on every architecture but MIPS, where the probes
// therefore find no tier.
const (
	sysPidfdSendSignal = 424
	sysPidfdOpen       = 434
)

// OpenPidfd returns a descriptor of the process that has pid now.
func OpenPidfd(pid int) (int, error) {
	fd, _, e := syscall.Syscall(sysPidfdOpen, uintptr(pid), 0, 0)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

// SendSignal signals the process behind a pidfd.
func SendSignal(fd int, sig syscall.Signal) error {
	_, _, e := syscall.Syscall6(sysPidfdSendSignal, uintptr(fd), uintptr(sig), 0, 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// Signal signals a process if it is the one the caller means: between opening
// it and signalling it, same must confirm that the pid has not changed hands.
// It reports whether the signal was delivered.
func Signal(pid int, sig syscall.Signal, same func(pid int) bool) (bool, error) {
	fd, err := OpenPidfd(pid)
	if err == syscall.ESRCH || err == syscall.EINVAL { // gone, or a thread
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer syscall.Close(fd)
	if !same(pid) {
		return false, nil
	}
	switch err := SendSignal(fd, sig); err {
	case nil:
		return true, nil
	case syscall.ESRCH:
		return false, nil
	default:
		return false, err
	}
}

// SignalStat signals the very process that s was read from.
func SignalStat(s Stat, sig syscall.Signal) (bool, error) {
	return Signal(s.PID, sig, func(pid int) bool {
		now, err := Read(pid)
		return err == nil && now.Start == s.Start && now.Alive()
	})
}

const is64bit = ^uint(0) >> 63

// siginfo is what waitid writes for a child.
type siginfo struct {
	signo, errno, code int32
	_                  [is64bit]int32
	pid                int32
	uid                uint32
	status             int32
	_                  [128 - (6+is64bit)*4]byte
}

func (s *siginfo) waitStatus() syscall.WaitStatus {
	const exited, dumped = 1, 3
	switch s.code {
	case exited:
		return syscall.WaitStatus(s.status << 8)
	case dumped:
		return syscall.WaitStatus(s.status) | 0x80
	default:
		return syscall.WaitStatus(s.status)
	}
}

// The kinds of id and the options of waitid.
const (
	PAll   = 0
	PPidfd = 3

	NoWait = 0x1000000 // leave the child a zombie
)

// Waitid asks for the end of a child; without WNOHANG among the options it
// blocks. pid 0 means none has ended.
func Waitid(kind, id, options int) (pid int, ws syscall.WaitStatus, ru syscall.Rusage, err error) {
	var info siginfo
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, uintptr(kind), uintptr(id),
			uintptr(unsafe.Pointer(&info)), uintptr(options|syscall.WEXITED), uintptr(unsafe.Pointer(&ru)), 0)
		if e == syscall.EINTR {
			continue
		}
		if e != 0 {
			return 0, 0, ru, e
		}
		return int(info.pid), info.waitStatus(), ru, nil
	}
}
