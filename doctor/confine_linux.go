package doctor

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tryNoNewPrivs sets the flag and reads it back.
func tryNoNewPrivs() error {
	return onThrowAwayThread(func() error {
		if err := noNewPrivs(); err != nil {
			return err
		}
		got, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		if err != nil {
			return err
		}
		if got != 1 {
			return errors.New("the flag was set and does not show")
		}
		return nil
	})
}

func noNewPrivs() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// trySeccomp installs a filter that refuses one harmless call by an error
// nobody else gives, and makes that call.
func trySeccomp() error {
	const odd = unix.ENOTNAM
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_GETSID},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(odd)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return onThrowAwayThread(func() error {
		if err := noNewPrivs(); err != nil {
			return err
		}
		if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); e != 0 {
			return e
		}
		if _, err := unix.Getsid(0); err != odd {
			return fmt.Errorf("the filter is installed and does not filter: %v", err)
		}
		return nil
	})
}

// tryLandlock forbids itself all files and tries to read one. It returns the
// version of the interface.
func tryLandlock() (abi int, err error) {
	n, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0, e
	}
	err = onThrowAwayThread(func() error {
		if err := noNewPrivs(); err != nil {
			return err
		}
		rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR}
		fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0)
		if e != 0 {
			return e
		}
		defer unix.Close(int(fd))
		if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); e != 0 {
			return e
		}
		dir, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			unix.Close(dir)
			return errors.New("the rules are in force and do not forbid")
		}
		if err != unix.EACCES {
			return fmt.Errorf("the rules are in force, and the root folder cannot be opened: %w", err)
		}
		return nil
	})
	return int(n), err
}
