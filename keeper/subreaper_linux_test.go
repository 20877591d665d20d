package keeper_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/keeper"
)

// If a subreaper is killed, its job is lost and says so, and what can be found
// of it is ended.
func TestSubreaperKilled(t *testing.T) {
	s := open(t, keeper.Options{Tier: keeper.TierSubreaper})
	defer s.Close()
	j, out := spawn(t, s, `for i in 1 2; do setsid sh -c 'echo $$; exec sleep 600' & done; echo $PPID; wait`)
	var pids []int
	for len(pids) < 3 && out.Scan() {
		pid, err := strconv.Atoi(out.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if err := syscall.Kill(parent(t, j.PID()), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e, err := j.Wait(soon(t)); !errors.Is(err, keeper.ErrLost) {
		t.Errorf("wait: %+v, %v", e, err)
	}
	if err := j.WaitEmpty(soon(t)); !errors.Is(err, keeper.ErrLost) {
		t.Errorf("wait for the tree: %v", err)
	}
	for _, pid := range append(pids, j.PID()) {
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil && len(b) > 0 {
			t.Errorf("%d lives: %q", pid, b)
		}
	}
}

func parent(t testing.TB, pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	n, err := strconv.Atoi(strings.Fields(rest)[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
