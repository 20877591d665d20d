//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reeverun/reeve/internal/peers"
)

// tree is a job that consists of several processes. SLEEP stands for a sleep
// that is known by its argument; the leader is known by the name of its file.
type tree struct {
	name, script string
	size         int
}

var trees = []tree{
	{"plain", `for i in 1 2 3; do sh -c 'SLEEP & SLEEP & wait' & done; wait`, 10},
	{"stubborn", `trap '' TERM; for i in 1 2 3; do sh -c 'SLEEP & SLEEP & wait' & done; while :; do wait; SLEEP; done`, 10},
	{"escaping", `setsid sh -c 'SLEEP & SLEEP & wait' & (setsid SLEEP &) & env -i PATH="$PATH" setsid sh -c '(SLEEP &)' & SLEEP & wait`, 7},
}

// made is a tree with marks of its own.
type made struct {
	tree
	file, mark string
}

// make writes the script of a tree into a folder.
func (t tree) make(dir string) (made, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return made{}, err
	}
	mark := fmt.Sprintf("86400.%d%06d", os.Getpid(), time.Now().UnixNano()%1_000_000)
	m := made{t, filepath.Join(dir, "job-"+mark+".sh"), mark}
	script := strings.ReplaceAll(t.script, "SLEEP", "sleep "+mark)
	return m, os.WriteFile(m.file, []byte(script+"\n"), 0o700)
}

// await returns when the whole tree is there.
func (m made) await() error {
	return peers.Soon(func() error {
		if n := len(marked(m.mark)); n != m.size {
			return fmt.Errorf("the tree %s has %d processes, want %d", m.name, n, m.size)
		}
		return nil
	})
}

// parts are what jobs consist of: a manager that has the name of
// the job among its arguments is no part of it.
var parts = map[string]bool{"sh": true, "dash": true, "bash": true, "sleep": true, "setsid": true, "env": true, "busybox": true}

// marked lists the living processes of a job.
func marked(mark string) []int {
	return processes(func(exe, line string) bool {
		return parts[filepath.Base(exe)] && strings.Contains(line, mark)
	})
}

// running lists the living processes of a program by their arguments.
func running(program string, is func(line string) bool) []int {
	return processes(func(exe, line string) bool { return exe == program && is(line) })
}

func processes(are func(exe, line string) bool) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		line, err := os.ReadFile(dir + "/cmdline")
		exe, gone := os.Readlink(dir + "/exe") // a zombie has none
		if err == nil && gone == nil && are(exe, string(line)) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			pids = append(pids, pid)
		}
	}
	return pids
}

// end kills what is left of a job.
func end(mark string) {
	_ = peers.Soon(func() error {
		left := marked(mark)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) > 0 {
			return errors.New("not yet")
		}
		return nil
	})
}

// killed is what became of a tree.
type killed struct {
	err            error
	stopped        time.Duration // until the manager said so
	survivors      int           // then
	dead           time.Duration // until all were; 0: they never were
	left, observed int           // at the end; of how many
}

// lasting is how long survivors are watched.
const lasting = 5 * time.Second

// killTree has a manager run a tree and stop it.
func killTree(m manager, t tree) (k killed) {
	dir, err := os.MkdirTemp("", "reeve-tree-")
	if err != nil {
		return killed{err: err}
	}
	defer os.RemoveAll(dir)
	job, err := t.make(dir)
	if err != nil {
		return killed{err: err}
	}
	defer end(job.mark)
	defer m.close()
	if err := m.start(); err != nil {
		return killed{err: err}
	}
	if err := m.submit(job.file); err != nil {
		return killed{err: err}
	}
	if err := job.await(); err != nil {
		return killed{err: err}
	}
	begin := time.Now()
	if err := m.stop(); err != nil {
		return killed{err: err}
	}
	k.stopped, k.survivors, k.observed = time.Since(begin), len(marked(job.mark)), job.size
	for k.left = k.survivors; k.left > 0 && time.Since(begin) < k.stopped+lasting; k.left = len(marked(job.mark)) {
		time.Sleep(5 * time.Millisecond)
	}
	if k.left == 0 {
		k.dead = time.Since(begin)
	}
	return k
}
