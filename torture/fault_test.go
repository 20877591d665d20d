//go:build linux

package torture

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killDaemon ends the daemon and with it every program that may run.
func (w *world) killDaemon() {
	w.daemon.kill()
	for _, p := range w.procs {
		if !p.finished {
			p.orphaned.Store(true)
		}
	}
}

// revive starts a daemon after a crash and returns how long it took.
func (w *world) revive() time.Duration {
	w.t.Helper()
	died := time.Now()
	w.daemon.launch()
	if w.rand.IntN(4) == 0 { // also while it recovers
		time.Sleep(w.upTo(150 * time.Millisecond))
		w.killDaemon()
		died = time.Now()
		w.daemon.launch()
	}
	w.daemon.ready()
	took := time.Since(died)
	w.figures.restarts = append(w.figures.restarts, took)
	return took
}

// killKeeper ends the keeper, whose commands may be lost by that.
func (w *world) killKeeper() {
	w.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		if keepers := w.keepers(); len(keepers) > 0 {
			for _, pid := range keepers {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			w.t.Logf("round %d: keeper %v killed", w.figures.rounds, keepers)
			w.figures.keepers++
			break
		}
		if time.Now().After(end) {
			w.t.Fatal("there is no keeper")
		}
	}
	for _, p := range w.procs {
		if !p.finished {
			p.shaken.Store(true)
		}
	}
}

// keepers are the keepers of this world's data directory: they are known by
// their arguments.
func (w *world) keepers() (pids []int) {
	for pid, exe := range ours() {
		args := strings.Split(commandLine(pid), "\x00")
		if exe == suite.binary && len(args) > 2 && args[1] == "keeper" && strings.HasPrefix(args[2], w.daemon.data()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// ours are the living processes that run a program of the harness.
func ours() map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		exe, err := os.Readlink(dir + "/exe") // a zombie has none
		if err == nil && strings.HasPrefix(exe, suite.dir+"/") {
			found[pid] = exe
		}
	}
	return found
}

func commandLine(pid int) string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return string(bytes.TrimSuffix(text, []byte{0}))
}

// strays are the processes of this world that live, by what they run; those of
// commands only, or with the daemon's own.
func (w *world) strays(commandsOnly bool) (found map[int]string) {
	found = map[int]string{}
	for pid, exe := range ours() {
		line := commandLine(pid)
		if exe == suite.job && strings.Contains(line, w.mark) || exe == suite.binary && !commandsOnly {
			found[pid] = strings.ReplaceAll(line, "\x00", " ")
		}
	}
	return found
}

// sweep ends what a failed test has left, so that it harms nobody else.
func (w *world) sweep() {
	w.daemon.kill()
	for pid := range w.strays(false) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for path := range w.cgroupsLeft() {
		_ = os.WriteFile(path+"/cgroup.kill", []byte("1"), 0)
		_ = os.Remove(path)
	}
}

// cgroupsLeft are the cgroups of commands that still exist, and the folders in
// which their keepers made them.
func (w *world) cgroupsLeft() map[string]bool {
	left := map[string]bool{}
	for cgroup := range w.ledger.read().cgroups {
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			for _, path := range []string{cgroup, filepath.Dir(cgroup)} {
				if !strings.Contains(path, "/reeve-") {
					continue // the harness's own
				}
				if _, err := os.Stat(root + path); err == nil {
					left[root+path] = true
				}
			}
		}
	}
	return left
}
