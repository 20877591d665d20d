package keeper

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// homeCgroup returns where the host's directory shall be.
func homeCgroup() (dir, inner string, err error) {
	dir, inner, err = ownCgroup()
	if err == nil && inner != "/" && delegated(filepath.Dir(dir)) {
		return filepath.Dir(dir), filepath.Dir(inner), nil
	}
	return dir, inner, err
}

// delegated reports whether systemd has given a cgroup away (Delegate= and
// DelegateSubgroup=), by its own mark.
func delegated(dir string) bool {
	var value [2]byte
	for _, mark := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(dir, mark, value[:]); err == nil && n == 1 && value[0] == '1' {
			return unix.Access(dir, unix.W_OK) == nil
		}
	}
	return false
}

// ownCgroup returns the directory of this process's v2 cgroup and its path
// inside the hierarchy.
func ownCgroup() (dir, inner string, err error) {
	inner, err = cgroupOf("self")
	if err != nil {
		return "", "", err
	}
	dir, err = mounted(inner, func(kind, _ string) bool { return kind == "cgroup2" })
	return dir, inner, err
}

// mounted returns where a path of a cgroup hierarchy is to be seen; mine tells
// the hierarchy by a mount's type and options.
func mounted(inner string, mine func(kind, options string) bool) (string, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// id parent major:minor root mountpoint options ... - type source options
		before, after, _ := strings.Cut(lines.Text(), " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 || !mine(what[0], what[2]) {
			continue
		}
		rel, err := filepath.Rel(unescape(where[3]), inner)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			continue // this mount shows another part of the hierarchy
		}
		return filepath.Join(unescape(where[4]), rel), nil
	}
	return "", errors.New("no such cgroup hierarchy is mounted")
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
