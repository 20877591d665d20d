//go:build unix

package peer

import (
	"os"
	"syscall"
)

// nobody is who is nobody on every system.
const nobody = 65534

// unprivileged is how a program is started that refuses to run as root, who gives
// it a folder; nil where this is no root.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return as, os.Chown(dir, nobody, nobody)
}
