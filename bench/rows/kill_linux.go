package rows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/bench/measure"
)

// killBare kills a tree in a cgroup of its own and waits until the kernel says
// that it is empty: nothing ends a tree faster.
func killBare(ctx context.Context, t tree) (_ float64, err error) {
	dir, err := newCgroup()
	if err != nil {
		return 0, measure.Skipf("no cgroup can be made here: %v", err)
	}
	defer func() { err = errors.Join(err, os.Remove(dir.Name()), dir.Close()) }()
	cmd := exec.Command("sh", "-c", t.script())
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd())}
	if err := cmd.Start(); err != nil {
		return 0, measure.Skipf("nothing can be started in a cgroup here: %v", err)
	}
	grown := t.grown(ctx)
	begin := time.Now()
	if err := killCgroup(dir.Name()); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	_ = cmd.Wait() // it was killed
	return millis(took), grown
}

// newCgroup makes one beside our own.
func newCgroup() (*os.File, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			name := filepath.Join(f[1], fmt.Sprintf("reeve-bench-%d-%d", os.Getpid(), time.Now().UnixNano()))
			if err := os.Mkdir(name, 0o755); err != nil {
				return nil, err
			}
			return os.Open(name)
		}
	}
	return nil, errors.New("cgroup2 is not mounted")
}

func killCgroup(dir string) error {
	events, err := os.Open(filepath.Join(dir, "cgroup.events"))
	if err != nil {
		return err
	}
	defer events.Close()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0); err != nil {
		return err
	}
	state := make([]byte, 256)
	for {
		n, err := events.ReadAt(state, 0)
		if n == 0 {
			return err
		}
		if bytes.Contains(state[:n], []byte("populated 0")) {
			return nil
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(events.Fd()), Events: unix.POLLPRI}}, 10_000); err != nil && err != unix.EINTR {
			return err
		}
	}
}
