package keeper

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// How many processes and threads a start may take besides the job's own, and
// how many who holds it may have.
const (
	startPIDs = 32
	holdPIDs  = 24
)

// crew is what all tiers start limited and confined jobs with. Where a job
// needs something done to it that the host cannot do from outside, a worker
// (see package subreaper) does it to itself and then becomes the program, or,
// in a pid namespace, starts and holds it: there the first process must stay,
// and would, as the program itself, not mind its signals.
type crew struct {
	null   *os.File
	group  bool
	bounds *bounds
	nest   nest
}

func newCrew(o Options, cgroup string) (*crew, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &crew{null: null, group: !o.NoGroup, bounds: openBounds(o, cgroup), nest: nest{without: o.without}}, nil
}

func (w *crew) close() error {
	w.nest.close()
	return errors.Join(w.bounds.close(), w.null.Close())
}

// needed reports whether a job takes a worker.
func (w *crew) needed(c *command) bool {
	l := c.limits
	return c.sandbox != Trusted || l.OpenFiles > 0 || l.CPU > 0 || l.Memory > 0 && !w.bounds.memory.works()
}

// nested reports whether a job gets a pid namespace.
func (w *crew) nested(c *command) bool {
	return c.sandbox == Sandboxed && w.nest.born(unix.CLONE_NEWPID)
}

// plan is what the worker shall do, with the descriptors that takes.
func (w *crew) plan(c *command) (p confine.Plan, more []*os.File, err error) {
	p = confine.Plan{Off: w.nest.without,
		OpenFiles: int64(c.limits.OpenFiles), CPUTime: int64((c.limits.CPU + time.Second - 1) / time.Second)}
	if !w.bounds.memory.works() {
		p.Data = c.limits.Memory
	}
	if c.sandbox != Trusted {
		more, err = w.confine(&p, c)
	}
	p.Require = c.workersPart() // last: some of it may be seen to already
	return p, more, err
}

// confine plans a sandbox.
func (w *crew) confine(p *confine.Plan, c *command) ([]*os.File, error) {
	p.Kind = string(c.sandbox)
	if c.dir != "" || c.sandbox == Confined {
		var err error
		if p.Work, err = workFolder(c.absDir()); err != nil {
			return nil, &SpawnError{Op: OpChdir, Path: c.dir, Err: err}
		}
	}
	if c.sandbox == Confined {
		return nil, nil
	}
	if p.Work == "/" {
		return nil, &SpawnError{Op: OpConfine, Path: "/", Err: syscall.EINVAL, Hint: "the work folder of a sandbox cannot be the whole machine"}
	}
	w.nest.find()
	p.Spaces, p.TmpSize = w.nest.names(), c.limits.Tmp
	if p.TmpSize == 0 {
		p.TmpSize = DefaultTmp
	}
	for _, l := range w.nest.lacks {
		c.told.lack(l.Name, l.Reason)
	}
	return w.user(p, c), nil
}

// workFolder is a folder's path without symbolic links.
func workFolder(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		err = usableDir(real)
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = errno
	}
	return real, err
}

// user decides whom a sandboxed job runs as. Root's jobs do not run as root:
// they are the work folder's owner, or nobody, whom the folder then belongs to
// as far as the job can see.
func (w *crew) user(p *confine.Plan, c *command) []*os.File {
	switch {
	case os.Geteuid() != 0:
		c.told.hold(confine.OwnUser)
		return nil
	case w.nest.user:
		c.told.lack(confine.OwnUser, "root without the rights of root cannot become somebody else")
		return nil
	}
	p.User, p.Group = nobody, nobody
	var st syscall.Stat_t
	if p.Work == "" || syscall.Stat(p.Work, &st) != nil {
		return nil
	}
	if st.Gid != 0 {
		p.Group = int(st.Gid)
	}
	if st.Uid != 0 {
		p.User = int(st.Uid)
		return nil
	}
	ids, err := w.nest.idMap()
	if err != nil {
		p.User, p.Group = 0, 0
		c.told.lack(confine.OwnUser, "the work folder is root's and cannot be shown as another's: "+err.Error())
		return nil
	}
	p.IDMap, p.Group = 1, nobody
	return []*os.File{ids}
}

// hostsPart are the features that the host itself sees to.
func hostsPart() []string {
	return []string{confine.Memory, confine.PIDs, confine.CPU, confine.TreeKill}
}

// refusal says what is required and missing of the host's part; without a
// worker, that is all of it.
func (c *command) refusal(alone bool) error {
	need := c.require
	if !alone {
		need = slices.DeleteFunc(slices.Clone(need), func(s string) bool { return !slices.Contains(hostsPart(), s) })
	}
	return c.refuse(c.told.lacking(need))
}

// workersPart are the required features that the worker sees to.
func (c *command) workersPart() []string {
	return slices.DeleteFunc(slices.Clone(c.require), func(s string) bool {
		return slices.Contains(hostsPart(), s) || slices.Contains(c.told.Held, s)
	})
}

// order is what a worker is given.
func (w *crew) order(c *command, hold bool) (subreaper.Order, []*os.File, error) {
	p, more, err := w.plan(c)
	dir := c.absDir()
	if p.Kind == confine.Sandbox {
		dir = p.Work
	}
	return subreaper.Order{Path: c.path, Argv: c.argv, Env: c.env, Dir: dir, Session: w.group || c.tty, TTY: c.tty, Exec: !hold, Plan: p}, more, err
}
