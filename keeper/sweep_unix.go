//go:build unix

package keeper

import (
	"os"
	"sync"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// sweep finds the processes of a job by what they cannot all hide: their
// group or session, the mark in their environment, and their parents. It
// misses one that has shed all three (env -i setsid, then orphaned), which is
// why stronger tiers exist, unless it was found once before.
type sweep struct {
	token  string
	leader int
	start  uint64 // of the leader; nothing older belongs to the job
	group  bool   // the leader has a session of its own

	mu    sync.Mutex
	known map[int]uint64 // pid and start of what was found before; guarded by mu
}

// find returns the living processes of the job, the leader included.
func (w *sweep) find() ([]procs.Stat, error) {
	all, err := procs.All()
	if err != nil {
		return nil, err
	}
	group := w.group
	for _, s := range all {
		// Somebody else has got the leader's number: the group of that
		// name is no longer ours. It cannot happen while the leader is
		// ours to reap.
		if s.PID == w.leader && s.Start != w.start {
			group = false
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	seed := make(map[int]bool)
	for _, s := range all {
		known, ok := w.known[s.PID]
		switch {
		case s.Start < w.start:
		case ok && s.Start == known,
			s.PID == w.leader && s.Start == w.start,
			group && (s.SID == w.leader || s.Group == w.leader),
			s.Alive() && procs.HasEnv(s.PID, markKey, w.token):
			seed[s.PID] = true
		}
	}
	var out []procs.Stat
	w.known = make(map[int]uint64)
	for _, s := range procs.With(all, seed) {
		if s.Alive() && s.Start >= w.start {
			out = append(out, s)
			w.known[s.PID] = s.Start
		}
	}
	return out, nil
}

// kill kills what find shows and reports how many that were. atOnce comes
// between finding and killing: once parents die, children are harder to find.
func (w *sweep) kill(atOnce func()) (int, error) {
	found, err := w.find()
	if err != nil {
		return 0, err
	}
	atOnce()
	for _, s := range found {
		_, _ = procs.SignalStat(s, syscall.SIGKILL)
	}
	return len(found), nil
}

// stats lists processes with their start times, and confirms by them.
type stats struct {
	list func() ([]procs.Stat, error)
	last map[int]uint64
}

func (l *stats) pids() ([]int, error) {
	found, err := l.list()
	l.last = make(map[int]uint64, len(found))
	var pids []int
	for _, s := range found {
		if s.Alive() {
			l.last[s.PID] = s.Start
			pids = append(pids, s.PID)
		}
	}
	return pids, err
}

func (l *stats) same(pid int) bool {
	s, err := procs.Read(pid)
	return err == nil && s.Alive() && s.Start == l.last[pid]
}

func (l *stats) signal(sig syscall.Signal) (int, error) { return signalEach(l.pids, l.same, sig) }

// startOf is when a process just started did so. If it is gone already, the
// host's own start has to do: the job's processes are younger in any case.
func startOf(pid int) uint64 {
	for _, p := range []int{pid, os.Getpid()} {
		if s, err := procs.Read(p); err == nil {
			return s.Start
		}
	}
	return 0
}
