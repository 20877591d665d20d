package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/settings"
)

const (
	// maxSocketPath is what every system takes (Linux 107, macOS 103 bytes).
	maxSocketPath = 100
	// socketPatience is how long a predecessor that has given up the owner
	// lock may take to remove its socket.
	socketPatience = 15 * time.Second
)

// socket is the daemon's unix socket. It belongs to the holder of the socket
// lock, which a daemon takes when it owns the data directory and drops when its
// socket is gone: a daemon that ends cannot remove its successor's.
type socket struct {
	net.Listener
	path string
	data settings.DataDir
	lock *settings.Lock
}

// openSocket binds the socket, for this user alone, and records where it is.
func openSocket(ctx context.Context, data settings.DataDir) (_ *socket, err error) {
	ctx, cancel := context.WithTimeout(ctx, socketPatience)
	defer cancel()
	s := &socket{data: data}
	if s.lock, err = settings.TakeLock(ctx, data.SocketLock()); err != nil {
		return nil, err
	}
	if err = s.bind(); err != nil {
		return nil, errors.Join(err, s.lock.Release())
	}
	if err = writeFile(data.SocketFile(), s.path); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *socket) bind() (err error) {
	if s.path, err = socketPath(s.data); err != nil {
		return err
	}
	if err := removeStale(s.path); err != nil {
		return err
	}
	if s.Listener, err = listenPrivately(s.path); err != nil {
		return fmt.Errorf("listen on %s: %w", s.path, err)
	}
	s.Listener.(*net.UnixListener).SetUnlinkOnClose(false) // close does, in its own order
	return nil
}

// close removes the socket and lets the next daemon have its own.
func (s *socket) close() error {
	return errors.Join(removeFile(s.path), removeFile(s.data.SocketFile()), ignoreClosed(s.Listener.Close()), s.lock.Release())
}

// letGo leaves the socket to the daemon that has it, too.
func (s *socket) letGo() (err error) {
	if s.Listener != nil {
		err = ignoreClosed(s.Listener.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
	}
	return err
}

// removeStale removes the socket of a dead daemon. Nothing else is touched.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket && info.Mode().Type() != fs.ModeIrregular: // Windows has no type for it
		return fmt.Errorf("%s is in the way and is not a socket: move it elsewhere", path)
	}
	return removeFile(path)
}

// socketPath says where the socket of a data directory is: in it, or where that
// would be too long for the system, in a folder with a shorter name.
func socketPath(data settings.DataDir) (string, error) {
	if path := data.Socket(); len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(data))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	for _, dir := range shortFolders() {
		path := filepath.Join(dir, name)
		if len(path) > maxSocketPath {
			continue
		}
		if err := privateFolder(dir); err != nil {
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("the path %s is too long for a socket, and so are the folders for temporary files: use another data directory", data)
}

// shortFolders are candidates for sockets, best first.
func shortFolders() (dirs []string) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, filepath.Join(dir, "reeve"))
		}
	}
	own := fmt.Sprintf("reeve-%d", os.Getuid())
	return append(dirs, filepath.Join(os.TempDir(), own), filepath.Join("/tmp", own))
}

// privateFolder makes a folder that only this user can use. One that exists
// must be so: temporary folders are shared, and names in them can be squatted.
func privateFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedAndPrivate(info) {
		return fmt.Errorf("%s must be a folder of this user alone (mode 0700), for the socket: remove it, or set XDG_RUNTIME_DIR", dir)
	}
	return nil
}

// writeFile puts a line in a file of this user alone, at once and as a whole.
func writeFile(path, line string) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(line+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// removeFile removes a file that may be gone already.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
