package keeper

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// cgroupHolder holds each tree in a cgroup v2 directory of its own:
//
//	<own cgroup of the host>/reeve-<data directory>-<host>/<run>
//
// The host's own processes stay where they are. The directory of a run is used
// once: cgroup.kill poisons it for later births. Only core files are used,
// which exist without any controller.
type cgroupHolder struct {
	base  string // the directory of this host
	inner string // the same, as /proc/PID/cgroup spells it
	stock *cgroupStock
	sys   syscall.SysProcAttr
}

func openCgroup(o Options) (*cgroupHolder, error) {
	dir, inner, err := ownCgroup()
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
	h.stock = newCgroupStock(h.base)
	return h, nil
}

// start starts a command in a fresh directory.
func (h *cgroupHolder) start(c *command) (tree, int, error) {
	run, err := h.stock.take()
	if err != nil {
		return nil, 0, &SpawnError{Op: OpHold, Path: h.base, Err: err}
	}
	sys := h.sys
	sys.CgroupFD = run.fd
	ch, err := forkExec(c, &sys)
	syscall.Close(run.fd)
	if err != nil {
		h.stock.giveBack(run.path)
		return nil, 0, err
	}
	t := &cgroupTree{child: ch, dir: run.path, inner: h.inner + run.path[len(h.base):], stock: h.stock}
	return t, ch.pid, nil
}

func (h *cgroupHolder) close() error {
	h.stock.close()
	return endCgroup(h.base)
}

// ownCgroup returns the directory of this process's v2 cgroup and its path
// inside the hierarchy.
func ownCgroup() (dir, inner string, err error) {
	inner, err = cgroupOf("self")
	if err != nil {
		return "", "", err
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// id parent major:minor root mountpoint options ... - type source options
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		rel, err := filepath.Rel(unescape(fields[3]), inner)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			continue // this mount shows another part of the hierarchy
		}
		return filepath.Join(unescape(fields[4]), rel), inner, nil
	}
	return "", "", errors.New("no cgroup v2 hierarchy is mounted")
}

// cgroupOf returns the v2 cgroup of a process.
func cgroupOf(pid string) (string, error) {
	data, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n"), nil
		}
	}
	return "", errors.New("the kernel has no cgroup v2")
}

// unescape undoes mountinfo's octal escapes.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
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
