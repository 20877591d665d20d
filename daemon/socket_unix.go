//go:build unix

package daemon

import (
	"context"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// listenPrivately binds a socket of mode 0600. Where the system lets the mode be
// set before the socket has a name (Linux), there is no moment in which others
// could connect; elsewhere the folder's mode covers it.
func listenPrivately(path string) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) })
	}}
	l, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func ownedAndPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
