//go:build unix

package procs

import (
	"strings"
	"time"
)

// Stat is what the kernel tells of a process. PID and Start together name it
// for good.
type Stat struct {
	PID   int
	PPID  int
	Group int
	SID   int
	State byte          // as in Linux's /proc/PID/stat
	Start uint64        // in a unit of the system's own
	CPU   time.Duration // its own
	Kids  time.Duration // that of the children it has waited for
	RSS   int64         // bytes of memory that it holds; 0: not known
}

// Alive reports whether the process still is more than an exit status.
func (s Stat) Alive() bool { return s.State != 'Z' && s.State != 'X' && s.State != 'x' }

// Stopped reports whether the process stands still: by SIGSTOP or the like, or
// for a debugger.
func (s Stat) Stopped() bool { return s.State == 'T' || s.State == 't' }

// Below returns the processes whose chain of parents leads to root, root
// itself excluded, the dead included. (Linux's /proc/PID/task/TID/children
// would be a shorter way, but not every kernel is built with it.)
func Below(root int) ([]Stat, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return below(all, map[int]bool{root: true}), nil
}

// With returns the members of all that are in seed or below it.
func With(all []Stat, seed map[int]bool) []Stat {
	out := below(all, seed)
	for _, s := range all {
		if seed[s.PID] {
			out = append(out, s)
		}
	}
	return out
}

func below(all []Stat, seed map[int]bool) []Stat {
	kids := make(map[int][]int, len(all))
	for i, s := range all {
		kids[s.PPID] = append(kids[s.PPID], i)
	}
	queue := make([]int, 0, len(seed))
	for pid := range seed {
		queue = append(queue, pid)
	}
	var out []Stat
	taken := make(map[int]bool)
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		for _, i := range kids[pid] {
			s := all[i]
			if seed[s.PID] || taken[s.PID] {
				continue
			}
			taken[s.PID] = true
			out = append(out, s)
			queue = append(queue, s.PID)
		}
	}
	return out
}

// maxName is how much of a command line names a process.
const maxName = 160

// shorten makes a NUL-separated command line presentable.
func shorten(line string) string {
	line = strings.ReplaceAll(strings.TrimRight(line, "\x00"), "\x00", " ")
	if len(line) > maxName {
		line = line[:maxName] + "…"
	}
	return strings.ToValidUTF8(line, "?")
}

// carries reports whether one environment entry is key=value, where value may
// also be one of several joined by colons.
func carries(entry, key, value string) bool {
	rest, ok := strings.CutPrefix(entry, key+"=")
	return ok && strings.Contains(":"+rest+":", ":"+value+":")
}
