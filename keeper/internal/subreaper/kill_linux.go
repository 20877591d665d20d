package subreaper

import (
	"syscall"
	"time"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// How often the kill is repeated while nothing dies.
const (
	killFirst = time.Millisecond
	killLast  = 250 * time.Millisecond
)

// killAll kills round after round until reapAll finds no child left and ends
// the program. Whatever a round missed because it was born meanwhile becomes
// a child of this process when its parent dies, if not before.
func (r *reaper) killAll() {
	timer := time.NewTimer(0)
	for pause := killFirst; ; pause = min(2*pause, killLast) {
		r.killRound()
		timer.Reset(pause)
		select {
		case <-r.buried:
			pause = killFirst
		case <-timer.C:
		}
	}
}

func (r *reaper) killRound() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leader != 0 && r.group {
		_ = syscall.Kill(-r.leader, syscall.SIGKILL) // at once, forks in progress included
	}
	if r.self == 1 {
		// The first process of a pid namespace is this one, and all others
		// are the job's.
		_ = syscall.Kill(-1, syscall.SIGKILL)
		return
	}
	tree, err := procs.Below(r.self)
	if err != nil {
		return
	}
	for _, s := range tree {
		switch {
		case !s.Alive():
		case s.PPID == r.self:
			_ = syscall.Kill(s.PID, syscall.SIGKILL)
		default:
			_, _ = procs.SignalStat(s, syscall.SIGKILL)
		}
	}
}
