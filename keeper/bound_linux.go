package keeper

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// place is a cgroup directory that limits a job; the zero value is none.
type place struct {
	dir string
	v1  bool // the job's alone; else it is the one that holds the tree
}

// bound is what limits one job. The zero value limits nothing.
type bound struct {
	pids, memory place
	most         int // the pids it is set to
}

// prepare makes the bounds of a job to come; dir holds its tree, if cgroups of
// version 2 do. What cannot be made is found missing by set.
func (b *bounds) prepare(dir string) bound {
	d := bound{most: b.most}
	if b.most > 0 && b.pids.works() {
		_ = b.limit(&b.pids, &d.pids, dir, pidsFile, strconv.Itoa(b.most))
	}
	return d
}

// The files that take a limit, in versions 1 and 2.
var (
	pidsFile   = [2]string{"pids.max", "pids.max"}
	memoryFile = [2]string{"memory.limit_in_bytes", "memory.max"}
	swapFile   = [2]string{"memory.memsw.limit_in_bytes", "memory.swap.max"}
)

// limit sets a limit, in a place that is made if there is none yet.
func (b *bounds) limit(c *controller, p *place, dir string, file [2]string, value string) error {
	switch {
	case p.dir != "":
	case c.v2:
		*p = place{dir: dir}
	default:
		made, err := b.place(c)
		if err != nil {
			return err
		}
		*p = place{dir: made, v1: true}
	}
	return writeOnce(p.dir+"/"+p.pick(file), value)
}

// place returns a directory of version 1: one that another job has left, or a
// new one.
func (b *bounds) place(c *controller) (string, error) {
	if c == &b.pids {
		b.mu.Lock()
		defer b.mu.Unlock()
		if n := len(b.spare); n > 0 {
			dir := b.spare[n-1]
			b.spare = b.spare[:n-1]
			return dir, nil
		}
	}
	dir := c.base + "/" + strconv.FormatInt(b.next.Add(1), 10)
	return dir, os.Mkdir(dir, 0o755)
}

// spares is how many directories are kept for the next jobs. Such a one only
// counts, and unlike what holds a tree is as good as new once nothing is in it:
// to make and to remove one takes as long as to start a thread.
const spares = 32

// keep has a directory used again, if no process is in it, and no other
// directory, which a job may have made. b.mu is held.
func (b *bounds) keep(p place) bool {
	if len(b.spare) >= spares || !strings.HasPrefix(p.dir, b.pids.base+"/") {
		return false
	}
	var st unix.Stat_t
	if err := unix.Stat(p.dir, &st); err != nil || st.Nlink != 2 {
		return false
	}
	var buf [32]byte
	if n, err := readOnce(p.dir+"/pids.current", buf[:]); err != nil || string(n) != "0\n" {
		return false
	}
	b.spare = append(b.spare, p.dir)
	return true
}

func (p *place) pick(file [2]string) string {
	if p.v1 {
		return file[0]
	}
	return file[1]
}

// set fits the bounds to a job before it starts, and tells what they hold.
// extra is how many processes the start may take that are not the job's.
func (b *bounds) set(d *bound, dir string, l Limits, extra int, told *Enforced) {
	if l.PIDs == 0 {
		l.PIDs = b.most
	}
	if l.PIDs > 0 || d.pids.dir != "" {
		b.setPIDs(d, dir, l.PIDs, extra, told)
	}
	if l.Memory > 0 {
		b.setMemory(d, dir, l.Memory, told)
	}
}

func (b *bounds) setPIDs(d *bound, dir string, n, extra int, told *Enforced) {
	if !b.pids.works() {
		told.lack(confine.PIDs, b.pids.why)
		return
	}
	if n != d.most || d.pids.dir == "" {
		value := "max"
		if n > 0 {
			value = strconv.Itoa(n + extra)
		}
		if err := b.limit(&b.pids, &d.pids, dir, pidsFile, value); err != nil {
			told.lack(confine.PIDs, err.Error())
			return
		}
		if d.most = n; n > 0 {
			d.most += extra
		}
	}
	if n > 0 {
		told.hold(confine.PIDs)
	}
}

func (b *bounds) setMemory(d *bound, dir string, n int64, told *Enforced) {
	if !b.memory.works() {
		told.lack(confine.Memory, "of the whole job: "+b.memory.why+"; the data of each process is limited instead")
		return
	}
	value := strconv.FormatInt(n, 10)
	if err := b.limit(&b.memory, &d.memory, dir, memoryFile, value); err != nil {
		told.lack(confine.Memory, err.Error())
		return
	}
	if !d.memory.v1 {
		value = "0" // it counts apart there
	}
	_ = writeOnce(d.memory.dir+"/"+d.memory.pick(swapFile), value) // where the kernel counts swap
	told.hold(confine.Memory)
}

// tighten takes away what a job's start was given above n processes.
func (d *bound) tighten(n int) {
	if n > 0 && d.pids.dir != "" && d.most > n {
		_ = writeOnce(d.pids.dir+"/"+d.pids.pick(pidsFile), strconv.Itoa(n))
	}
}

// overran reports whether the kernel killed for memory. The file's name differs
// between the versions, the line does not.
func (d *bound) overran() Limit {
	if d.memory.dir == "" {
		return ""
	}
	data, _ := os.ReadFile(d.memory.dir + "/" + d.memory.pick([2]string{"memory.oom_control", "memory.events"}))
	for line := range bytes.Lines(data) {
		n, ok := bytes.CutPrefix(line, []byte("oom_kill "))
		if ok && string(bytes.TrimSpace(n)) != "0" {
			return LimitMemory
		}
	}
	return ""
}

// discard removes a job's own directories, or keeps them for another, now or
// later: one may be busy for a moment after its last process has ended.
func (b *bounds) discard(d bound) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.used
	if d.pids.v1 && !b.keep(d.pids) {
		all = append(all, d.pids.dir)
	}
	if d.memory.v1 {
		all = append(all, d.memory.dir)
	}
	b.used = nil
	for _, dir := range all {
		if removeCgroup(dir) != nil {
			b.used = append(b.used, dir)
		}
	}
}
