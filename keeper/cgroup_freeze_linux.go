package keeper

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// freeze has the kernel stop everything in the directory and below, forks in
// progress included.
func (t *cgroupTree) freeze(ctx context.Context) error {
	if err := gone(writeOnce(t.dir+"/cgroup.freeze", "1")); err != nil {
		return err
	}
	return retry(ctx, t.isFrozen)
}

func (t *cgroupTree) thaw() error { return gone(writeOnce(t.dir+"/cgroup.freeze", "0")) }

// isFrozen asks rather than waits to be told: the freezer takes microseconds,
// a notice may come 10 ms late.
func (t *cgroupTree) isFrozen() (bool, error) {
	data, err := os.ReadFile(t.dir + "/cgroup.events")
	if err != nil {
		return true, gone(err)
	}
	return bytes.Contains(data, []byte("frozen 1")), nil
}

// gone forgives that a directory has been removed: its tree has ended.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return nil
	}
	return err
}
