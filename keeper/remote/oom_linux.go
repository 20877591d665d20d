package remote

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
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
	if o.jobs == "" {
		return
	}
	// Off Go's poller, which costs more than the write.
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // it is gone already
	}
	defer unix.Close(fd)
	_, _ = unix.Write(fd, []byte(o.jobs))
}
