package procs

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	rest := " S 7 8 9 0 -1 4194560 1 2 3 4 100 50 25 25 20 0 1 0 12345 1 1 1 1\n"
	for _, comm := range []string{"sh", "a b", "((", ") R 1 (", ""} {
		s, err := parse([]byte("42 (" + comm + ")" + rest))
		want := Stat{PID: 42, PPID: 7, Group: 8, SID: 9, State: 'S', Start: 12345,
			CPU: 1500 * time.Millisecond, Kids: 500 * time.Millisecond, RSS: pageSize}
		if err != nil || s != want {
			t.Errorf("%q: %+v, %v", comm, s, err)
		}
	}
	for _, bad := range []string{"", "42", "42 (sh", "42 (sh) S 1", "(sh)" + rest, "x (sh)" + rest} {
		if _, err := parse([]byte(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("42 (sh) S 7 8 9 0 -1 4194560 1 2 3 4 100 50 25 25 20 0 1 0 12345 1\n"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parse(b) })
}

func TestBelow(t *testing.T) {
	all := []Stat{{PID: 1}, {PID: 2, PPID: 1}, {PID: 5, PPID: 4}, {PID: 4, PPID: 2}, {PID: 6, PPID: 1}}
	var got []int
	for _, s := range With(all, map[int]bool{2: true}) {
		got = append(got, s.PID)
	}
	if len(got) != 3 || got[0] != 4 || got[1] != 5 || got[2] != 2 {
		t.Errorf("%v", got)
	}
}

func TestAllShowsSelf(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int]int)
	for _, s := range all {
		seen[s.PID]++
	}
	for pid, n := range seen {
		if n != 1 {
			t.Errorf("%d is listed %d times", pid, n)
		}
	}
	if seen[os.Getpid()] != 1 {
		t.Error("this process is not listed")
	}
}

// A thread has a number of its own and is no process.
func TestRefreshLeavesOutThreads(t *testing.T) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tasks {
		tid, _ := strconv.Atoi(e.Name())
		if got := len(refresh(nil, tid, tid)); (got == 1) != (tid == os.Getpid()) {
			t.Errorf("%d of process %d is listed %d times", tid, os.Getpid(), got)
		}
	}
}

// A signal goes only to the process that was meant: not to one that has taken
// over its pid, which a start time tells, nor to one that is gone.
func TestSignalOnlyTheSame(t *testing.T) {
	c := exec.Command("sleep", "600")
	c.Env = []string{"REEVE_TEST=a:b", "X=y"}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s, err := Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	other := s
	other.Start++
	if ok, err := SignalStat(other, syscall.SIGKILL); ok || err != nil {
		t.Errorf("another process's start time: %v, %v", ok, err)
	}
	if now, err := Read(s.PID); err != nil || now.Start != s.Start || !now.Alive() {
		t.Errorf("it should be alive: %+v, %v", now, err)
	}
	if !strings.Contains(Name(s.PID), "sleep") && Name(s.PID) != "" {
		t.Errorf("name %q", Name(s.PID))
	}
	for value, want := range map[string]bool{"a": true, "b": true, "a:b": true, "": false, "c": false} {
		if got := HasEnv(s.PID, "REEVE_TEST", value); got != want {
			t.Errorf("mark %q: %v", value, got)
		}
	}
	if ok, err := SignalStat(s, syscall.SIGTERM); !ok || err != nil {
		t.Errorf("the process itself: %v, %v", ok, err)
	}
	_ = c.Wait()
	if ok, err := SignalStat(s, syscall.SIGTERM); ok || err != nil {
		t.Errorf("a process that is gone: %v, %v", ok, err)
	}
}
