package keeper

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// bounds are the cgroup controllers that limit jobs. One of version 2 works in
// the directory that holds the tree, if it is handed down to there; one of
// version 1 has a hierarchy and directories of its own,
//
//	<own cgroup of the host>/reeve-<data directory>-<host>/<number>
//
// which a job is born into by way of the thread that starts it: see inside.
type bounds struct {
	pids, memory controller
	most         int          // pids by default; 0: no limit
	next         atomic.Int64 // number of a directory

	mu    sync.Mutex
	used  []string // directories that were still busy; guarded by mu
	spare []string // those of version 1 that limit pids, for jobs to come; guarded by mu
}

// controller is where one works, if it does.
type controller struct {
	v2   bool
	base string // of version 1: the directory below which jobs have theirs
	why  string // it does not work
}

func (c *controller) works() bool { return c.v2 || c.base != "" }

// openBounds finds the controllers; v2 is the directory of the host's jobs in
// that hierarchy, if they have one.
func openBounds(o Options, v2 string) *bounds {
	b := &bounds{most: o.PIDs}
	if o.PIDs == 0 {
		b.most = DefaultPIDs
	}
	b.pids = openController(o, confine.PIDs, "pids.max", "64", v2)
	b.memory = openController(o, confine.Memory, "memory.limit_in_bytes", "1073741824", v2)
	return b
}

// openController tries version 2, then 1, by setting a limit.
func openController(o Options, name, file, value, v2 string) controller {
	var c controller
	if slices.Contains(o.without, name) {
		c.why = "switched off"
		return c
	}
	err2 := errors.New("trees are not held by it")
	if v2 != "" {
		if err2 = handDown(v2, name); err2 == nil {
			c.v2 = true
			return c
		}
	}
	base, err := openV1(name, o.Name)
	if err == nil {
		err = tryV1(base, file, value)
	}
	if err != nil {
		c.why = "cgroup v2: " + err2.Error() + "; cgroup v1: " + err.Error()
		return c
	}
	c.base = base
	return c
}

// handDown has a controller work in the directories below base. That takes two
// steps, since the host's own directory has to hand it down first, which the
// kernel refuses while processes live there, unless it is the topmost.
func handDown(base, name string) error {
	var err error
	for _, dir := range []string{filepath.Dir(base), base} {
		if err = writeOnce(dir+"/cgroup.subtree_control", "+"+name); err != nil {
			break
		}
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) {
		return errors.New("the controller is not there")
	}
	if errors.Is(err, unix.EBUSY) {
		return errors.New("the host's own cgroup holds processes and cannot hand controllers down")
	}
	return err
}

func openV1(name, dataDir string) (string, error) {
	dir, err := ownV1(name)
	if err != nil {
		return "", err
	}
	prefix, err := cgroupPrefix(dataDir)
	if err != nil {
		return "", err
	}
	// What still lives there is ended by way of what holds it, or was adopted.
	sweepCgroups(dir, prefix, populatedV1)
	made, err := makeBase(dir, prefix)
	return dir + "/" + made, err
}

// tryV1 sets a limit and moves a thread there and back.
func tryV1(base, file, value string) error {
	dir := base + "/probe"
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = errors.Join(writeOnce(dir+"/"+file, value), (&bound{pids: place{dir: dir, v1: true}}).inside(func() {}), unix.Rmdir(dir))
	}
	if err != nil {
		_ = removeCgroup(base)
	}
	return err
}

func populatedV1(dir string) bool {
	pids, err := cgroupPids(nil, dir)
	return err != nil || len(pids) > 0
}

// ownV1 returns the directory of this process's cgroup in a v1 hierarchy.
func ownV1(name string) (string, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(own)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(part) == 3 && slices.Contains(strings.Split(part[1], ","), name) {
			return mounted(part[2], func(kind, options string) bool {
				return kind == "cgroup" && slices.Contains(strings.Split(options, ","), name)
			})
		}
	}
	return "", errors.New("no hierarchy has the controller")
}

// close ends what is left. Nothing lives there any more, and nothing of those
// dead hosts whose jobs were adopted and have ended since.
func (b *bounds) close() error {
	var errs []error
	for _, c := range []controller{b.pids, b.memory} {
		if c.base != "" {
			errs = append(errs, endCgroup(c.base))
			name := strings.SplitN(filepath.Base(c.base), "-", 3) // as makeBase makes it
			sweepCgroups(filepath.Dir(c.base), name[0]+"-"+name[1]+"-", populatedV1)
		}
	}
	return errors.Join(errs...)
}
