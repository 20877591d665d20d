package remote

import (
	"os"
	"strconv"
)

// keeperScore makes the kernel, when it is out of memory, prefer others.
const keeperScore = "-900"

// oomScore is what jobs shall have instead of the keeper's own, which they
// inherit. Empty: they have it already.
type oomScore struct{ jobs string }

// protectKeeper lowers the keeper's own score, which only a privileged one may.
func protectKeeper() oomScore {
	before, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil || os.WriteFile("/proc/self/oom_score_adj", []byte(keeperScore), 0) != nil {
		return oomScore{}
	}
	return oomScore{jobs: string(before)}
}

// lift gives a program that has just been started the score it should have. It
// has had no time to start others.
func (o oomScore) lift(pid int) {
	if o.jobs != "" {
		_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte(o.jobs), 0)
	}
}
