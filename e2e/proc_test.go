//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// mark is the environment variable by which everything that a daemon started
// is known.
func mark(base string) string { return "REEVE_E2E_MARK=" + base }

// marked lists the living processes that carry a variable or have a text among
// their arguments.
func marked(text string) (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if filepath.Base(dir) == strconv.Itoa(os.Getpid()) {
			continue
		}
		environ, _ := os.ReadFile(dir + "/environ") // gone meanwhile: nothing
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		if hasField(environ, text) || bytes.Contains(cmdline, []byte(text)) {
			found = append(found, fmt.Sprintf("%s %q", filepath.Base(dir), bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// livingOf returns the processes that carry a variable, and whether they are
// keepers.
func livingOf(text string) map[int]bool {
	found := map[int]bool{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		environ, _ := os.ReadFile(dir + "/environ")
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		if pid != os.Getpid() && len(cmdline) > 0 && hasField(environ, text) {
			found[pid] = bytes.HasPrefix(cmdline, []byte("reeve keeper")) || bytes.HasPrefix(cmdline, []byte("reeve\x00keeper"))
		}
	}
	return found
}

func hasField(list []byte, field string) bool {
	for item := range bytes.SplitSeq(list, []byte{0}) {
		if string(item) == field {
			return true
		}
	}
	return false
}

var sleeps atomic.Int64

// endless returns the arguments of a sleep that nothing else runs, to be found
// by marked even if its environment was cleared.
func endless() string {
	return fmt.Sprintf("sleep 86400.%d%04d", os.Getpid(), sleeps.Add(1))
}

// argument is the part of an endless that is found in a command line.
func argument(endless string) string { return strings.TrimPrefix(endless, "sleep ") }

// wantGone fails if anything that carries the text lives.
func wantGone(t testing.TB, text string) {
	t.Helper()
	if left := marked(text); len(left) > 0 {
		t.Errorf("still alive: %v", left)
	}
}

// filesIn lists the files below a folder.
func filesIn(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// listening lists the TCP sockets on which a process listens.
func listening(pid int) (ports []string, err error) {
	inodes := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return nil, err
	}
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil {
			inodes[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(content)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && inodes[f[9]] {
				ports = append(ports, f[1])
			}
		}
	}
	return ports, nil
}

// living is a process that is known by more than its number.
type living struct {
	pid   int
	birth string
}

// look returns a process and the number of its parent, if it is alive.
func look(pid int) (p living, parent int, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, 0, false
	}
	// The name may hold anything; what follows its last parenthesis does not.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	return living{pid, fields[19]}, parent, true
}

// descendants lists the living processes below one.
func descendants(pid int) (all []living) {
	children := map[int][]living{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		n, _ := strconv.Atoi(filepath.Base(dir))
		if p, parent, ok := look(n); ok {
			children[parent] = append(children[parent], p)
		}
	}
	for queue := children[pid]; len(queue) > 0; {
		p := queue[0]
		all, queue = append(all, p), append(queue[1:], children[p.pid]...)
	}
	return all
}

// isKeeper reports whether a process is a keeper, which outlives its daemon.
func isKeeper(p living) bool {
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.pid))
	return strings.TrimSpace(string(comm)) == "reeve-keeper"
}

// alive returns those that still live.
func alive(some []living) (left []living) {
	for _, p := range some {
		if now, _, ok := look(p.pid); ok && now == p {
			left = append(left, p)
		}
	}
	return left
}
