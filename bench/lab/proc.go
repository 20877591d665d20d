package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Until waits until something has become so. It rests between two looks for as
// long as a look takes, and for a millisecond at least.
func Until(ctx context.Context, most time.Duration, so func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("waited for %s", most))
	defer cancel()
	for {
		begin := time.Now()
		if so() {
			return nil
		}
		select {
		case <-time.After(max(time.Millisecond, time.Since(begin))):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Keeper is the pid of the process whose children the daemon's commands are.
func (d *Daemon) Keeper() (int, error) {
	pids := Arguments(func(args []string) bool {
		return len(args) > 2 && args[1] == "keeper" && filepath.Dir(args[2]) == d.Dir
	})
	if len(pids) != 1 {
		return 0, fmt.Errorf("%d keepers of %s, and there should be one", len(pids), d.Dir)
	}
	return pids[0], nil
}

// Arguments returns the processes of this machine whose arguments are such.
func Arguments(such func(args []string) bool) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) == 0 { // gone, or a zombie
			continue
		}
		if such(strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// Status reads a figure of /proc/PID/status, such as "VmRSS" in kB.
func Status(pid int, key string) (int64, error) {
	return procFigure(fmt.Sprintf("/proc/%d/status", pid), key)
}

// Proportional is the proportional set size of a process in kB: what is shared
// is divided by those who share it.
func Proportional(pid int) (int64, error) {
	return procFigure(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss")
}

func procFigure(path, key string) (n int64, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	_, rest, found := bytes.Cut(raw, []byte("\n"+key+":"))
	if !found {
		return 0, fmt.Errorf("%s has no %s", path, key)
	}
	_, err = fmt.Sscan(string(rest), &n)
	return n, err
}
