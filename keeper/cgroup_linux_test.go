package keeper_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

func cgroupSpawner(t testing.TB) keeper.Spawner {
	t.Helper()
	s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: keeper.TierCgroup2})
	if err != nil {
		t.Skip(err)
	}
	return s
}

// inside prints the directory of the shell's own cgroup.
const inside = `base=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)$(sed -n 's/^0:://p' /proc/self/cgroup); `

// A job may divide its cgroup; what it puts below is signalled, killed and
// cleaned up with the rest.
func TestNestedCgroups(t *testing.T) {
	s := cgroupSpawner(t)
	j, out := spawn(t, s, inside+`echo $base
		mkdir -p $base/a/b
		sh -c "echo \$\$ > $base/a/b/cgroup.procs; trap 'echo got; kill \$!; exit' TERM; sleep 600 & echo up; wait" &
		wait`)
	out.Scan()
	dir := out.Text()
	out.Scan()
	if out.Text() != "up" {
		t.Fatalf("%q", out.Text())
	}
	if n := len(j.Members()); n != 3 {
		t.Errorf("members %v", j.Members())
	}
	if n, err := j.Signal(process.SIGTERM); n < 3 || err != nil {
		t.Errorf("signal: %d, %v", n, err)
	}
	out.Scan()
	if out.Text() != "got" {
		t.Errorf("the inner process says %q", out.Text())
	}
	j.Kill()
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Fatal(err)
	}
	j.Release()
	for deadline := time.Now().Add(patience); exists(dir); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the directory stays")
		}
	}
	base := dir[:strings.LastIndexByte(dir, '/')]
	if !exists(base) {
		t.Errorf("%s does not exist", base)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if exists(base) {
		t.Errorf("%s is left", base)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The directory of a run is never used again, and a job's time is counted from
// the first instruction to the last of its descendants.
func TestFreshCgroups(t *testing.T) {
	s := cgroupSpawner(t)
	defer s.Close()
	seen := make(map[string]bool)
	for range 100 {
		j, out := spawn(t, s, inside+"echo $base")
		out.Scan()
		if seen[out.Text()] {
			t.Fatalf("%s is used again", out.Text())
		}
		seen[out.Text()] = true
		j.Kill()
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Fatal(err)
		}
		j.Release()
	}
}
