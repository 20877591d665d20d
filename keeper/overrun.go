package keeper

import (
	"runtime"
	"time"
)

// How often the time of a limited job is looked at: as soon as it could be
// used up, but not all the time.
const (
	cpuSoonest = 10 * time.Millisecond
	cpuLatest  = time.Second
)

// watchCPU kills the job when its tree has used up its time. No goroutine
// waits: a timer looks.
func (j *job) watchCPU(limit time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cpu = time.AfterFunc(nextLook(limit), func() { j.lookCPU(limit) })
}

func nextLook(left time.Duration) time.Duration {
	return min(max(left/time.Duration(runtime.NumCPU()), cpuSoonest), cpuLatest)
}

func (j *job) lookCPU(limit time.Duration) {
	left := limit - j.Usage().CPU
	j.mu.Lock()
	over := !j.isEmpty && left <= 0
	if over {
		j.killed = LimitCPU
	} else if !j.isEmpty {
		j.cpu.Reset(nextLook(left))
	}
	j.mu.Unlock()
	if over {
		j.Kill()
	}
}

// Enforced says what holds the job back.
func (j *job) Enforced() Enforced { return j.enforced }

// Killed names the limit that ended some of the tree.
func (j *job) Killed() Limit {
	j.mu.Lock()
	killed := j.killed
	j.mu.Unlock()
	if killed != "" {
		return killed
	}
	select {
	case <-j.exited:
		// The kernel's own watch, per process, has whole seconds.
		if j.exit.Signal == "SIGXCPU" && j.cpu != nil {
			return LimitCPU
		}
	default:
	}
	return j.tree.overran()
}
