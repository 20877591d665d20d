package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// hierarchy is a mounted cgroup hierarchy and this process's place in it.
type hierarchy struct {
	dir string
	v2  bool
}

// findHierarchy looks for the one of version 2 (controller empty), or the one
// of version 1 that has a controller.
func findHierarchy(controller string) (hierarchy, error) {
	inner, err := cgroupOf(controller)
	if err != nil {
		return hierarchy{}, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return hierarchy{}, err
	}
	for line := range strings.Lines(string(mounts)) {
		// id parent major:minor root mountpoint options ... - type source options
		before, after, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 || !carries(what, controller) {
			continue
		}
		rel, err := filepath.Rel(unescape(where[3]), inner)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			continue // this mount shows another part of the hierarchy
		}
		return hierarchy{filepath.Join(unescape(where[4]), rel), controller == ""}, nil
	}
	return hierarchy{}, errors.New("this process's cgroup is in no mounted hierarchy")
}

func carries(mount []string, controller string) bool {
	if controller == "" {
		return mount[0] == "cgroup2"
	}
	return mount[0] == "cgroup" && slices.Contains(strings.Split(mount[2], ","), controller)
}

// cgroupOf returns this process's cgroup, as /proc spells it.
func cgroupOf(controller string) (string, error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(part) == 3 && slices.Contains(strings.Split(part[1], ","), controller) {
			return part[2], nil
		}
	}
	if controller == "" {
		return "", errors.New("the kernel has no cgroup v2")
	}
	return "", errors.New("no cgroup v1 hierarchy has the controller")
}

func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// inside calls f with a fresh cgroup below this process's own, and removes it.
func (h hierarchy) inside(f func(dir string) error) (err error) {
	var dir string
	for n := 0; ; n++ {
		dir = fmt.Sprintf("%s/reeve-doctor-%d-%d", h.dir, os.Getpid(), n)
		err = os.Mkdir(dir, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Rmdir(dir)) }()
	return f(dir)
}

// errNotHandedDown says that a controller is here and not in cgroups below.
var errNotHandedDown = errors.New("the controller is not handed down to cgroups below this one")

// tryLimit sets a limit on a fresh cgroup, reads it back, and has a child born
// there (version 2) or could move one there (version 1).
func (h hierarchy) tryLimit(file, value string) error {
	return h.inside(func(dir string) error {
		path := dir + "/" + file
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return errNotHandedDown
		}
		if err := os.WriteFile(path, []byte(value), 0); err != nil {
			return err
		}
		if got, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(got)) != value {
			return fmt.Errorf("%s was set to %s and reads %q: %v", file, value, got, err)
		}
		return h.tryMember(dir)
	})
}

func (h hierarchy) tryMember(dir string) error {
	if !h.v2 {
		f, err := os.OpenFile(dir+"/cgroup.procs", os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return tryChild(&syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd})
}

// has reports whether the controller is listed for this process's cgroup.
func (h hierarchy) has(controller string) bool {
	data, _ := os.ReadFile(h.dir + "/cgroup.controllers")
	return slices.Contains(strings.Fields(string(data)), controller)
}

// mayHandDown reports whether this user may hand controllers down.
func (h hierarchy) mayHandDown() bool {
	return unix.Access(h.dir+"/cgroup.subtree_control", unix.W_OK) == nil
}
