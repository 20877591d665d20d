//go:build linux

package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Each tree is as large as it is said to be, and beyond the reach it is said to
// be beyond: what a kill of the leader's process group leaves.
func TestTrees(t *testing.T) {
	t.Parallel()
	left := map[string]int{"plain": 0, "stubborn": 10, "escaping": 5}
	for _, tree := range trees {
		t.Run(tree.name, func(t *testing.T) {
			t.Parallel()
			job, err := tree.make(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { end(job.mark) })
			cmd := exec.Command("sh", job.file)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := job.await(); err != nil {
				t.Fatal(err)
			}
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
			if tree.name != "stubborn" {
				_ = cmd.Wait()
			}
			after := job
			after.size = left[tree.name]
			if err := after.await(); err != nil {
				t.Error("after SIGTERM to the group: ", err)
			}
			end(job.mark)
			if tree.name == "stubborn" {
				_ = cmd.Wait()
			}
		})
	}
}

// Nobody else is killed for a manager that was not found.
func TestOnlyOneIsKilled(t *testing.T) {
	for _, pid := range []int{1, 0, -1, -2} {
		if killOne(pid) == nil {
			t.Errorf("%d was killed", pid)
		}
	}
	if pid := newPM2("pm2", t.TempDir()).pid(); pid != 0 {
		t.Errorf("pm2 that was not started is process %d", pid)
	}
}

// Reeve's row of the table: nothing is alive when it says so, and a daemon that
// is killed loses nothing.
func TestReeve(t *testing.T) {
	t.Parallel()
	r := candidates()[0].try(t.TempDir())
	if r.skipped != "" {
		t.Fatal(r.skipped)
	}
	for i, k := range r.trees {
		if k.err != nil || k.survivors != 0 || k.left != 0 || k.observed != trees[i].size {
			t.Errorf("the tree %s: %v", trees[i].name, k)
		}
	}
	if c := r.crash; c.err != nil || !c.survived || c.lines != crashLines || c.odd || c.exit != "7" || c.starts != 1 {
		t.Errorf("the crash: %v", c)
	}
	if text := table([]row{r, {name: "none", skipped: "a|b"}}); strings.Count(text, "|") != 4*9 {
		t.Errorf("the table is ragged:\n%s", text)
	}
	t.Log("\n" + table([]row{r}))
}
