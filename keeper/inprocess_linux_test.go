package keeper_test

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
)

const patience = 20 * time.Second

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// spawn starts a script of the shell and returns its output.
func spawn(t testing.TB, s keeper.Spawner, script string) (keeper.Job, *bufio.Scanner) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.SetReadDeadline(time.Now().Add(patience))
	t.Cleanup(func() { r.Close() })
	j, err := s.Spawn(soon(t), keeper.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Stdout: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Release)
	return j, bufio.NewScanner(r)
}

// eachTier runs a test with a spawner of each tier that works here.
func eachTier(t *testing.T, f func(t *testing.T, s keeper.Spawner)) {
	for _, r := range keeper.Probe() {
		t.Run(string(r.Tier), func(t *testing.T) {
			if !r.Available {
				t.Skip(r.Reason)
			}
			s := open(t, keeper.Options{Tier: r.Tier})
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			f(t, s)
		})
	}
}

// A child gets the standard three descriptors, also when this process has
// inherited others, and no signal is ignored or blocked in it, also when one
// is here.
func TestNothingIsInherited(t *testing.T) {
	stray, err := syscall.Dup(0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(stray)
	signal.Ignore(syscall.SIGUSR1, syscall.SIGHUP)
	defer signal.Reset(syscall.SIGUSR1, syscall.SIGHUP)
	eachTier(t, func(t *testing.T, s keeper.Spawner) {
		var lines []string
		for _, script := range []string{`ls /proc/$$/fd; :`, `exec grep -E '^Sig(Ign|Blk)' /proc/self/status`} {
			_, out := spawn(t, s, script)
			for out.Scan() {
				lines = append(lines, strings.Join(strings.Fields(out.Text()), " "))
			}
		}
		want := "0|1|2|SigBlk: 0000000000000000|SigIgn: 0000000000000000"
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("the child has %s instead of %s", got, want)
		}
	})
	if !signal.Ignored(syscall.SIGUSR1) {
		t.Error("the spawners did not restore what this process ignores")
	}
}

// No running child costs a thread.
func TestThreads(t *testing.T) {
	for tier, children := range map[keeper.Tier]int{keeper.TierCgroup2: 300, keeper.TierGroup: 60} {
		t.Run(string(tier), func(t *testing.T) {
			s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: tier})
			if err != nil {
				t.Skip(err)
			}
			defer s.Close()
			before := threads(t)
			for range children {
				j, err := s.Spawn(soon(t), keeper.Spec{Path: "/bin/sleep", Args: []string{"600"}})
				if err != nil {
					t.Fatal(err)
				}
				defer j.Release()
			}
			if got := threads(t); got > before+8 {
				t.Errorf("%d threads for %d children, %d before", got, children, before)
			} else {
				t.Logf("%d threads for %d children, %d before", got, children, before)
			}
		})
	}
}

func threads(t testing.TB) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "Threads:\t")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// With NoGroup a job stays in this process's group and session, and its tree
// is held all the same.
func TestNoGroup(t *testing.T) {
	for _, r := range keeper.Probe() {
		t.Run(string(r.Tier), func(t *testing.T) {
			if !r.Available {
				t.Skip(r.Reason)
			}
			s := open(t, keeper.Options{Tier: r.Tier, NoGroup: true})
			defer s.Close()
			j, out := spawn(t, s, `sleep 600 & awk '{print $5}' /proc/$$/stat; wait`)
			out.Scan()
			if want := strconv.Itoa(syscall.Getpgrp()); out.Text() != want {
				t.Errorf("in group %s instead of %s", out.Text(), want)
			}
			j.Kill()
			if err := j.WaitEmpty(soon(t)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A peak that may be this process's own is not passed off as the child's.
func TestMaxRSSIsNotTheHosts(t *testing.T) {
	ballast := make([]byte, 64<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	eachTier(t, func(t *testing.T, s keeper.Spawner) {
		j, _ := spawn(t, s, "true")
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Fatal(err)
		}
		if got := j.Usage().MaxRSS; got > int64(len(ballast)) {
			t.Errorf("true is said to have used %d bytes", got)
		}
	})
	_ = ballast[0]
}

func TestForcedTierOfAnotherSystem(t *testing.T) {
	if _, err := keeper.NewInProcess(keeper.Options{Tier: keeper.TierJobObject}); err == nil {
		t.Error("a Job Object on Linux")
	}
}

func TestProbe(t *testing.T) {
	got := keeper.Probe()
	if len(got) != 3 || got[0].Tier != keeper.TierCgroup2 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got {
		if r.Available != (r.Reason == "") {
			t.Errorf("%+v", r)
		}
		t.Logf("%+v", r)
	}
}
