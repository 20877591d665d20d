//go:build linux

// Command compare runs the same jobs under Reeve and under other managers of
// processes, and prints what became of them as one table. It measures two
// promises: kill means dead, on three trees of processes, and the manager can
// die while a job runs.
//
// Each manager lives in a folder of its own that is removed with everything in
// it. Packages are unpacked there, not installed. One that cannot be had is
// skipped, with the reason.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/reeverun/reeve/internal/peers"
	"github.com/reeverun/reeve/internal/testbin"
)

// grace is what each manager is told to leave a job between SIGTERM and
// SIGKILL, where it can be told.
const grace = time.Second

func main() {
	if err := compare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compare() error {
	only := flag.String("only", "", "compare these alone, by name: reeve,supervisor,pm2,task-spooler")
	flag.Parse()
	dir, err := os.MkdirTemp("", "reeve-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var rows []row
	for _, c := range candidates() {
		if *only != "" && !strings.Contains(","+*only+",", ","+c.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, c.name, "…")
		rows = append(rows, c.try(dir))
	}
	fmt.Print(table(rows))
	return nil
}

// candidate is something that may be compared.
type candidate struct {
	name    string
	install func(ctx context.Context, dir string) (path, version string, err error)
	manage  func(path, dir string) manager
}

func candidates() []candidate {
	return []candidate{
		{"reeve", buildReeve, newReeve},
		{"supervisor", peers.Supervisor, newSupervisor},
		{"supervisor, as group", peers.Supervisor, newSupervisorGroup},
		{"pm2", peers.PM2, newPM2},
		{"task-spooler", peers.TaskSpooler, newTSP},
	}
}

// try has a candidate do everything, in a folder of its own.
func (c candidate) try(base string) row {
	r := row{name: c.name}
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		r.skipped = err.Error()
		return r
	}
	path, version, err := c.install(context.Background(), filepath.Join(base, "installed"))
	if err != nil {
		r.skipped = err.Error()
		return r
	}
	r.version = version
	for _, t := range trees {
		r.trees = append(r.trees, killTree(c.manage(path, filepath.Join(dir, t.name)), t))
	}
	r.crash = crash(c.manage(path, filepath.Join(dir, "crash")))
	return r
}

// buildReeve makes the program of this repository.
func buildReeve(ctx context.Context, dir string) (path, version string, err error) {
	path = filepath.Join(dir, "reeve")
	if err := testbin.Make(path); err != nil {
		return "", "", err
	}
	commit, _ := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	return path, strings.TrimSpace(string(commit)), nil
}
