package keeper

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// removeCgroup removes a directory and those a job has made inside it.
func removeCgroup(path string) error {
	err := rmdir(path)
	if err != unix.EBUSY && err != unix.ENOTEMPTY {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeCgroup(path + "/" + e.Name()); err != nil {
				return err
			}
		}
	}
	return rmdir(path)
}

func rmdir(path string) error {
	err := unix.Rmdir(path)
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// endFor bounds how long a whole base directory may take to die.
const endFor = 2 * time.Second

// endCgroup kills whatever lives below a directory and removes it.
func endCgroup(path string) error {
	deadline := time.Now().Add(endFor)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := removeCgroup(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if time.Now().After(deadline) {
			return &os.PathError{Op: "remove", Path: path, Err: err}
		}
		_ = killCgroup(path)
		time.Sleep(pause)
	}
}

// killCgroup has the kernel kill everything in a directory and below.
func killCgroup(path string) error {
	return writeOnce(path+"/cgroup.kill", "1")
}

// readOnce reads what a small file of the kernel's says into buf, in one call
// and without Go's poller, which has no use for such files.
func readOnce(path string, buf []byte) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := unix.Pread(fd, buf, 0)
	return buf[:max(n, 0)], err
}

func writeOnce(path, s string) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(s)); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
