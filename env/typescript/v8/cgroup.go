//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cgroup bounds a zygote and all its children together, by directories named
// reeve-v8-<pid>-<n> below the cgroups this process is in: one in version 2 of
// the hierarchy, or one per controller in version 1.
type cgroup struct {
	dirs []string
	held holds // what the directories bound, once the zygote is in them
}

const (
	cgroupPrefix = "reeve-v8-"
	maxPrograms  = 4096 + 128 // and the zygote
)

// controllers are what is bounded, and by which files in versions 2 and 1.
var controllers = [...]struct {
	hold, name string
	v2, v1     string
	limit      func() string
}{
	{"cgroup-pids", "pids", "pids.max", "pids.max", func() string { return strconv.Itoa(maxPrograms) }},
	{"cgroup-memory", "memory", "memory.max", "memory.limit_in_bytes", mostMemory},
}

// mostMemory leaves the machine a quarter.
func mostMemory() string {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return "max"
	}
	return strconv.FormatUint(uint64(info.Totalram)*uint64(info.Unit)/4*3, 10)
}

// newCgroup makes the directories; missing are those bounds that cannot be had.
func newCgroup() (g *cgroup, missing holds) {
	g = &cgroup{}
	places, err := cgroupPlaces()
	for _, c := range controllers {
		if err == nil {
			failed := g.bound(places, c.name, c.v2, c.v1, c.limit())
			if failed == nil {
				g.held = append(g.held, hold{name: c.hold})
				continue
			}
			missing = append(missing, hold{c.hold, failed.Error()})
			continue
		}
		missing = append(missing, hold{c.hold, err.Error()})
	}
	return g, missing
}

// bound sets one limit, in a directory of its controller.
func (g *cgroup) bound(places map[string]string, controller, v2, v1, limit string) error {
	file, place := v1, places[controller]
	if place == "" {
		file, place = v2, places[""]
	}
	if place == "" {
		return errors.New("no hierarchy with this controller is mounted")
	}
	i := slices.IndexFunc(g.dirs, func(dir string) bool { return filepath.Dir(dir) == place })
	if i < 0 {
		dir, err := makeCgroup(place)
		if err != nil {
			return reason(err)
		}
		i = len(g.dirs)
		g.dirs = append(g.dirs, dir)
	}
	err := os.WriteFile(filepath.Join(g.dirs[i], file), []byte(limit), 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && file == v2 {
		return errors.New("the controller is not enabled below this process's cgroup")
	}
	return reason(err)
}

// reason leaves the path out: it says nothing to who reads it.
func reason(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

func makeCgroup(place string) (string, error) {
	for n := 0; ; n++ {
		dir := filepath.Join(place, fmt.Sprintf("%s%d-%d", cgroupPrefix, os.Getpid(), n))
		if err := os.Mkdir(dir, 0o755); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// add moves a process in and returns what that bounds.
func (g *cgroup) add(pid int) holds {
	for _, dir := range g.dirs {
		err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
		if err == nil {
			continue
		}
		failed := slices.Clone(g.held)
		for i := range failed {
			failed[i].reason = reason(err).Error()
		}
		return failed
	}
	return g.held
}

// remove removes the directories, once the last process in them is gone.
func (g *cgroup) remove() {
	const patience = 2 * time.Second
	deadline := time.Now().Add(patience)
	for _, dir := range g.dirs {
		for pause := time.Millisecond; unix.Rmdir(dir) == unix.EBUSY && time.Now().Before(deadline); pause *= 2 {
			time.Sleep(pause)
		}
	}
}

// cgroupPlaces returns the directory of this process's cgroup for each
// controller of version 1, and for "" that of version 2, where mounted.
func cgroupPlaces() (map[string]string, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, reason(err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, reason(err)
	}
	places := map[string]string{}
	for line := range strings.Lines(string(own)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3) // id:controllers:path
		if len(fields) != 3 {
			continue
		}
		for name := range strings.SplitSeq(fields[1], ",") {
			if dir := mountedAt(string(mounts), name, fields[2]); dir != "" {
				places[name] = dir
			}
		}
	}
	return places, nil
}

// mountedAt returns where a path of a hierarchy is to be seen.
func mountedAt(mounts, controller, path string) string {
	for line := range strings.Lines(mounts) {
		// id parent major:minor root mountpoint options ... - type source options
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 || !carries(right, controller) {
			continue
		}
		rel, err := filepath.Rel(left[3], path)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			continue // this mount shows another part of the hierarchy
		}
		return filepath.Join(left[4], rel)
	}
	return ""
}

// carries says whether a mount is of the hierarchy with this controller.
func carries(mount []string, controller string) bool {
	if controller == "" {
		return mount[0] == "cgroup2"
	}
	return mount[0] == "cgroup" && slices.Contains(strings.Split(mount[2], ","), controller)
}

// sweepCgroups removes what a process that was killed could not.
func sweepCgroups() {
	places, err := cgroupPlaces()
	if err != nil {
		return
	}
	for _, c := range []string{"", "pids", "memory"} {
		if places[c] == "" {
			continue
		}
		old, _ := filepath.Glob(filepath.Join(places[c], cgroupPrefix+"*"))
		for _, dir := range old {
			name := strings.TrimPrefix(filepath.Base(dir), cgroupPrefix)
			pid, _, _ := strings.Cut(name, "-")
			if n, err := strconv.Atoi(pid); err == nil && unix.Kill(n, 0) == unix.ESRCH {
				_ = unix.Rmdir(dir) // fails while something lives in it
			}
		}
	}
}
