package keeper

import (
	"path/filepath"
	"runtime"
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
// "0" is the thread that writes, which the kernel moves without stopping every
// fork on the machine; to name it by its number takes up to 14 ms after a pause.
func (d *bound) move(to func(string) string) error {
	for _, p := range []place{d.pids, d.memory} {
		if !p.v1 {
			continue
		}
		if err := writeOnce(to(p.dir)+"/tasks", "0"); err != nil {
			return err
		}
	}
	return nil
}
