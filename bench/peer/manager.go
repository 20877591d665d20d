package peer

import (
	"context"
	"os"
	"path/filepath"

	"github.com/reeverun/reeve/bench/lab"
)

// manager is something that starts, stops and watches commands, in a folder of
// its own. It is asked by one goroutine.
type manager interface {
	// run runs a command, and returns when it is known to be over.
	run(ctx context.Context, argv ...string) error
	// start starts n of a command that lasts, and returns when they live.
	start(ctx context.Context, n int, argv ...string) error
	// kill ends what was started, as fast as the manager can, and returns when
	// it says that this is done.
	kill(ctx context.Context) error
	// kept is how much it keeps of the output of the last command that was
	// run, in bytes; forget removes that.
	kept(ctx context.Context) (int64, error)
	forget() error
	// pids are the manager's own processes.
	pids() []int
	close() error
}

// product is a manager that can be gotten.
type product struct {
	name string
	note string // what it does, or does less than Reeve
	// slow is one that takes tenths of a second for a command, slowOutput one
	// that takes long for a gigabyte; parked is how many it is asked to hold.
	slow, slowOutput bool
	parked           int
	// open gets it, unless that was done before, and starts it in a folder.
	open func(s *Set, ctx context.Context, dir string) (manager, error)
}

var products = []product{
	{name: "sandbox-agent", note: "keeps nothing", slowOutput: true, parked: 500, open: openSandboxAgent},
	{name: "task-spooler", note: "keeps nothing over its end", parked: 200, open: openTaskSpooler},
	{name: "supervisor", note: "starts a program that is configured already", slow: true, slowOutput: true, parked: 200, open: openSupervisor},
	{name: "pm2", note: "by its API, from a Node that runs already", slow: true, slowOutput: true, parked: 50, open: openPM2},
}

// open makes a manager ready in a new folder.
func (s *Set) open(ctx context.Context, p product) (manager, error) {
	dir, err := s.lab.Scratch()
	if err != nil {
		return nil, err
	}
	return p.open(s, ctx, dir)
}

// memory is what a manager's own processes hold, in KiB.
func memory(m manager) (sum int64, err error) {
	for _, pid := range m.pids() {
		kb, err := lab.Proportional(pid)
		if err != nil {
			return 0, err
		}
		sum += kb
	}
	return sum, nil
}

// sizes adds up the sizes of files.
func sizes(pattern string) (sum int64, err error) {
	files, err := filepath.Glob(pattern)
	for _, file := range files {
		sum += size(file)
	}
	return sum, err
}

// size is that of a file, 0 where there is none.
func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// end kills one process that a peer was started with or for.
func end(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may be gone
	}
}
