package keeper

import (
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// inside calls f on a thread that is in the bounds' cgroups of version 1: what
// f starts is born there, so it cannot start anything outside first. The
// thread comes back afterwards. If it cannot, it is this goroutine's for good,
// and ends with it.
func (d *bound) inside(f func()) error {
	if !d.pids.v1 && !d.memory.v1 {
		f()
		return nil
	}
	runtime.LockOSThread()
	err := d.move(func(dir string) string { return dir })
	if err == nil {
		f()
	}
	if d.move(ownOf) == nil {
		runtime.UnlockOSThread()
	}
	return err
}

// ownOf is the host's own directory, given one of a job's.
func ownOf(dir string) string { return filepath.Dir(filepath.Dir(dir)) }

// move puts this thread into the directories, by the file that takes threads.
func (d *bound) move(to func(string) string) error {
	tid := strconv.Itoa(unix.Gettid())
	for _, p := range []place{d.pids, d.memory} {
		if !p.v1 {
			continue
		}
		if err := writeOnce(to(p.dir)+"/tasks", tid); err != nil {
			return err
		}
	}
	return nil
}
