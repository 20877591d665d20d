package keeper

import (
	"time"

	"github.com/reeverun/reeve/process"
)

// How long a kill is repeated, and how soon at first and at last. Most trees
// are gone after the first round; the rest is for what forks faster than it
// can be listed and for what the kernel cannot end at once.
const (
	killFor   = 10 * time.Second
	killFirst = 500 * time.Microsecond
	killLast  = 200 * time.Millisecond
)

// Signal delivers a signal to the whole tree.
func (j *job) Signal(s process.Signal) (int, error) {
	switch s {
	case process.SIGTERM, process.SIGINT, process.SIGKILL:
	default:
		return 0, process.Invalid("signal", "%v is not delivered to programs as a signal", s)
	}
	if j.ended() {
		return 0, nil
	}
	if s == process.SIGKILL {
		n := j.Count()
		j.Kill()
		return n, nil
	}
	return j.tree.signal(s)
}

func (j *job) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.isEmpty
}

// Kill starts the kill unless one is under way.
func (j *job) Kill() {
	j.follow()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isEmpty || j.killing {
		return
	}
	j.killing = true
	j.holds++
	j.spawner.running.Add(1) // the follower has not ended: the tree is not empty
	go j.killUntilEmpty()
}

func (j *job) killUntilEmpty() {
	defer j.spawner.running.Done()
	defer j.drop()
	defer func() {
		j.mu.Lock()
		j.killing = false
		j.mu.Unlock()
	}()
	deadline := time.Now().Add(killFor)
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for pause := killFirst; time.Now().Before(deadline); pause = min(2*pause, killLast) {
		_ = j.tree.kill() // what it could not end, Members names
		timer.Reset(pause)
		select {
		case <-j.empty:
			return
		case <-timer.C:
		}
		select {
		case <-j.exited:
			// Asking is quicker than being told: the kernel holds back
			// a second notice within 10 ms of the first.
			if j.tree.emptyNow() {
				j.setEmpty(nil)
				return
			}
		default:
		}
	}
}
