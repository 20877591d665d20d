package doctor

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func systemProbes(dataDir string) []func() []Check {
	return []func() []Check{limitChecks, func() []Check { return commandChecks(dataDir) }, sandboxChecks,
		func() []Check { return []Check{inotifyCheck(dataDir), openFilesCheck(), tasksCheck(), clockCheck()} }}
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// fewTasks is what a busy Reeve with its jobs wants to have left.
const fewTasks = 1000

// tasksCheck finds the lowest of the limits on processes and threads. When they
// run out, no program can start, and Go programs crash.
func tasksCheck() Check {
	c := check(SectionSystem, "tasks", "processes and threads")
	limit, name := lowestTaskLimit()
	used := tasksInUse()
	meaning := fmt.Sprintf("About %d processes and threads exist, and %d are allowed (%s).", used, limit, name)
	if limit-used >= fewTasks {
		return c.ok(meaning)
	}
	return c.limited(meaning, "few are left: jobs may fail to start, and programs that need threads may crash", "Raise "+name+", or end what is not needed.")
}

func lowestTaskLimit() (limit int64, name string) {
	limit, name = math.MaxInt64, "no limit"
	lower := func(n int64, by string) {
		if n > 0 && n < limit {
			limit, name = n, by
		}
	}
	lower(readNumber("/proc/sys/kernel/threads-max"), "sysctl kernel.threads-max")
	lower(readNumber("/proc/sys/kernel/pid_max"), "sysctl kernel.pid_max")
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &r) == nil && r.Cur < math.MaxInt64 && os.Geteuid() != 0 {
		lower(int64(r.Cur), "ulimit -u")
	}
	for _, controller := range []string{"", "pids"} {
		h, err := findHierarchy(controller)
		for dir := h.dir; err == nil && len(dir) > 1; dir = filepath.Dir(dir) {
			lower(readNumber(dir+"/pids.max"), "pids.max of "+dir)
		}
	}
	return limit, name
}

// tasksInUse is what the kernel schedules, all users together.
func tasksInUse() int64 {
	data, _ := os.ReadFile("/proc/loadavg") // 0.1 0.2 0.3 running/all last
	if f := strings.Fields(string(data)); len(f) > 3 {
		_, all, _ := strings.Cut(f[3], "/")
		n, _ := strconv.ParseInt(all, 10, 64)
		return n
	}
	return 0
}

// readNumber reads a file that holds one; 0 if it does not.
func readNumber(path string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n
}

// clockCheck asks the kernel whether anything keeps its clock right.
func clockCheck() Check {
	c := check(SectionSystem, "clock", "clock")
	if early := clockNotSet(c); early != nil {
		return *early
	}
	state, err := unix.Adjtimex(&unix.Timex{})
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return c.limited("The clock reads a plausible time; whether anything keeps it right cannot be asked here.", whyRefused(err), "")
	case err != nil:
		return c.limited("The clock reads a plausible time.", err.Error(), "")
	case state == unix.TIME_ERROR:
		return c.limited("Times in records may be off: nothing tells the kernel that its clock is right. Durations and timeouts do not depend on it.",
			"the clock is not synchronised", "Run a time service (systemd-timesyncd, chrony); in a virtual machine the host may do it unseen.")
	}
	return c.ok("The clock is synchronised: times in records are right.")
}
