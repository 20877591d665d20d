package keeper

import (
	"bytes"
	"errors"

	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
	"github.com/reeverun/reeve/process"
)

// cgroupTree is a tree in a cgroup directory. The directory belongs to it
// alone, so its path may be opened anew whenever it is needed: a running job
// costs one descriptor, the pidfd.
type cgroupTree struct {
	child *child  // the leader, or the boss
	boss  *worker // of a job in a pid namespace: its first process, which tells of the leader
	dir   string
	inner string       // as /proc/PID/cgroup spells it
	stock *cgroupStock // nil: an adopted tree's, whose host is dead
	bound bound
	watch watch
}

func (t *cgroupTree) waitLeader() (Exit, error) {
	if t.boss == nil {
		return t.child.wait()
	}
	m, err := t.boss.next()
	if err == nil && m.Kind == subreaper.Exited {
		return exitOf(syscall.WaitStatus(m.Value)), nil
	}
	// The boss was killed, with everything in its namespace.
	if e, err := t.child.wait(); err == nil && e.Signal == "SIGKILL" {
		return e, nil
	}
	return Exit{}, ErrLost
}

// maxPicks is how many members are waited for one by one.
const maxPicks = 32

// waitEmpty looks once: most trees end with their leader. Otherwise it waits
// for the end of one member, any one, and looks again; picked at random, a few
// of them see even a large tree out. Only a tree that goes on and on is left
// to the kernel's own notice, which may come 10 ms late.
func (t *cgroupTree) waitEmpty() error {
	if t.boss != nil && !t.child.isReaped() {
		if _, err := t.child.wait(); err != nil { // it ends last
			return ErrLost
		}
	}
	for range maxPicks {
		if t.emptyNow() {
			return nil
		}
		pids, err := t.pids()
		if err != nil || len(pids) == 0 {
			break
		}
		if _, err := t.watch.waitGone(pids[rand.IntN(len(pids))], t.holds); err != nil {
			return ErrLost
		}
	}
	return t.waitNotice()
}

// waitNotice has the kernel tell: it wakes the pollers of cgroup.events
// whenever that file changes.
func (t *cgroupTree) waitNotice() error {
	f, err := t.watch.open(t.dir + "/cgroup.events")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return ErrLost
	}
	defer f.Close()
	if err := until(f, unpopulated); err != nil {
		return ErrLost
	}
	return nil
}

func (t *cgroupTree) settle() {}

func (t *cgroupTree) emptyNow() bool {
	fd, err := unix.Open(t.dir+"/cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err == unix.ENOENT
	}
	defer unix.Close(fd)
	return unpopulated(fd)
}

// unpopulated reads cgroup.events. A directory that has been removed was empty.
func unpopulated(fd int) bool {
	var buf [128]byte
	n, err := unix.Pread(fd, buf[:], 0)
	if err != nil {
		return err == unix.ENODEV
	}
	return bytes.Contains(buf[:n], []byte("populated 0"))
}

func (t *cgroupTree) kill() error {
	return gone(killCgroup(t.dir))
}

func (t *cgroupTree) signal(s process.Signal) (int, error) {
	return signalEach(t.pids, t.holds, osSignal(s))
}

// holds reports whether a process is in this cgroup or one below.
func (t *cgroupTree) holds(pid int) bool {
	path, err := cgroupOf(strconv.Itoa(pid))
	if err != nil {
		return false
	}
	rest, ok := strings.CutPrefix(path, t.inner)
	return ok && (rest == "" || rest[0] == '/')
}

func (t *cgroupTree) pids() ([]int, error) {
	pids, err := cgroupPids(nil, t.dir)
	if t.boss != nil {
		pids = slices.DeleteFunc(pids, func(pid int) bool { return pid == t.child.pid })
	}
	return pids, err
}

// cgroupPids lists a directory and those a job has made inside it. Of a
// threaded one the processes are listed above it.
func cgroupPids(pids []int, dir string) ([]int, error) {
	data, err := os.ReadFile(dir + "/cgroup.procs")
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENODEV):
		return pids, nil
	case err != nil && !errors.Is(err, unix.EOPNOTSUPP):
		return pids, err
	}
	for line := range strings.Lines(string(data)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return pids, nil
	}
	for _, e := range entries {
		if e.IsDir() {
			if pids, err = cgroupPids(pids, dir+"/"+e.Name()); err != nil {
				return pids, err
			}
		}
	}
	return pids, nil
}

// count lists the tree, and looks at nobody in it: of a thousand processes, what
// they are called takes longer to find out than to kill them.
func (t *cgroupTree) count() int {
	pids, _ := t.pids()
	return len(pids)
}

func (t *cgroupTree) members() []process.Survivor {
	pids, _ := t.pids()
	return survivors(pids)
}

// usage takes the time from the cgroup, which counts every process that ever
// was in it.
func (t *cgroupTree) usage(live bool) Usage {
	u := t.child.lastUsage()
	if live {
		pids, _ := t.pids()
		for _, pid := range pids {
			if s, err := procs.Read(pid); err == nil {
				u.held(s)
			}
		}
	}
	var buf [512]byte // its first line is the one we want
	data, _ := readOnce(t.dir+"/cpu.stat", buf[:])
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	if v, ok := bytes.CutPrefix(line, []byte("usage_usec ")); ok {
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			u.CPU = max(u.CPU, time.Duration(n)*time.Microsecond)
		}
	}
	return u
}

func (t *cgroupTree) overran() Limit { return t.bound.overran() }

func (t *cgroupTree) abandon() {
	if t.boss != nil {
		t.boss.ctl.Close()
	}
	t.child.abandon()
	t.watch.close()
}

func (t *cgroupTree) free() {
	if t.boss != nil {
		t.boss.ctl.Close()
	}
	t.child.close()
	if t.stock != nil {
		t.stock.giveBack(t.dir, t.bound)
		return
	}
	_ = removeCgroup(t.dir)
	_ = rmdir(filepath.Dir(t.dir)) // the last one takes the dead host's along
}
