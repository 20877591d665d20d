package handover

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// userOf asks the kernel who is at the other end.
func userOf(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	bad := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err = errors.Join(bad, err); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
