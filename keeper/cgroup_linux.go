package keeper

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/procs"
)

// cgroupHolder holds each tree in a cgroup v2 directory of its own:
//
//	<own cgroup of the host>/reeve-<data directory>-<host>/<run>
//
// or beside the host's own, if it lies in one that systemd has delegated: only
// a cgroup without processes can hand controllers down. The host's own
// processes stay where they are. The directory of a run is used
// once: cgroup.kill poisons it for later births. Only core files are used,
// which exist without any controller.
type cgroupHolder struct {
	base  string // the directory of this host
	inner string // the same, as /proc/PID/cgroup spells it
	stock *cgroupStock
	crew  *crew
	sys   syscall.SysProcAttr
}

func openCgroup(o Options) (*cgroupHolder, error) {
	dir, inner, err := homeCgroup()
	if err != nil {
		return nil, err
	}
	prefix, err := cgroupPrefix(o.Name)
	if err != nil {
		return nil, err
	}
	sweepCgroups(dir, prefix, o.Keep)
	name, err := makeBase(dir, prefix)
	if err != nil {
		return nil, err
	}
	h := &cgroupHolder{base: dir + "/" + name, inner: strings.TrimSuffix(inner, "/") + "/" + name}
	h.sys = syscall.SysProcAttr{Setsid: !o.NoGroup, UseCgroupFD: true}
	if h.crew, err = newCrew(o, h.base); err != nil {
		return nil, errors.Join(err, endCgroup(h.base))
	}
	h.stock = newCgroupStock(h.base, h.crew.bounds)
	return h, nil
}

// start starts a command in a fresh directory.
func (h *cgroupHolder) start(c *command) (tree, int, error) {
	run, err := h.stock.take()
	if err != nil {
		return nil, 0, &SpawnError{Op: OpHold, Path: h.base, Err: err}
	}
	t := &cgroupTree{dir: run.path, inner: h.inner + run.path[len(h.base):], stock: h.stock, bound: run.bound}
	pid, err := h.fill(t, c, run.fd)
	syscall.Close(run.fd)
	if err != nil {
		h.stock.giveBack(run.path, t.bound)
		return nil, 0, err
	}
	return t, pid, nil
}

// fill starts the command in its directory and its bounds.
func (h *cgroupHolder) fill(t *cgroupTree, c *command, fd int) (pid int, err error) {
	sys := h.sys
	sys.CgroupFD = fd
	c.told.hold(confine.TreeKill)
	h.crew.bounds.set(&t.bound, t.dir, c.limits, startPIDs, &c.told)
	if !h.crew.nested(c) {
		if t.child, err = h.crew.start(c, &sys, &t.bound); err != nil {
			return 0, err
		}
		return t.child.pid, nil
	}
	t.boss, pid, err = h.crew.held(c, &sys, t.bound, nil)
	if err != nil {
		return 0, err
	}
	h.crew.tighten(&t.bound, c.limits.PIDs, true)
	t.child = t.boss.proc
	return pid, nil
}

func (h *cgroupHolder) close() error {
	h.stock.close()
	return errors.Join(endCgroup(h.base), h.crew.close())
}

// cgroupPrefix names what belongs to a data directory. The pid namespace is
// part of it, since the pids in the names mean nothing outside.
func cgroupPrefix(name string) (string, error) {
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(ns + "\x00" + name))
	return "reeve-" + hex.EncodeToString(sum[:6]) + "-", nil
}

// makeBase makes this host's directory: prefix, pid, start time, and a number,
// since one host may have several spawners.
func makeBase(dir, prefix string) (string, error) {
	self, err := procs.Read(os.Getpid())
	if err != nil {
		return "", err
	}
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s%d-%d-%d", prefix, self.PID, self.Start, n)
		err := os.Mkdir(dir+"/"+name, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// sweepCgroups ends what dead hosts of the same data directory left behind, but
// for what is to be kept.
func sweepCgroups(dir, prefix string, keep func(string) bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		host, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok {
			continue
		}
		part := strings.Split(host, "-")
		if len(part) != 3 {
			continue
		}
		pid, err1 := strconv.Atoi(part[0])
		start, err2 := strconv.ParseUint(part[1], 10, 64)
		if err1 != nil || err2 != nil || hostAlive(pid, start) {
			continue
		}
		endHost(dir+"/"+e.Name(), keep) // the next start tries again
	}
}

// endHost ends the runs of a dead host.
func endHost(base string, keep func(string) bool) {
	if keep == nil {
		_ = endCgroup(base)
		return
	}
	runs, _ := os.ReadDir(base)
	for _, r := range runs {
		if path := base + "/" + r.Name(); r.IsDir() && !keep(path) {
			_ = endCgroup(path)
		}
	}
	_ = rmdir(base) // if nothing was kept
}

func hostAlive(pid int, start uint64) bool {
	s, err := procs.Read(pid)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	return s.Start == start && s.Alive()
}
