//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/reeverun/reeve/internal/peers"
)

// crashed is what became of a job whose manager was killed.
type crashed struct {
	err      error
	survived bool
	lines    int    // of its output, complete and in order
	odd      bool   // and there are others
	exit     string // as the manager tells it afterwards
	starts   int
}

// The job of the crash: this many lines, then this exit code.
const (
	crashLines = 200
	crashCode  = 7
)

// crashScript waits in the midst of its lines until the manager is dead.
const crashScript = `cd %s
echo start >> starts
i=0
while [ $i -lt %d ]; do
	i=$((i+1))
	echo line $i
	sleep 0.01
	[ $i -ne 50 ] || >> half
	while [ $i -eq 50 ] && [ ! -e go ]; do sleep 0.01; done
done
exit %d
`

// crash has a manager run a job, kills the manager, has it started again, and
// looks at what there is when the job is over.
func crash(m manager) (c crashed) {
	dir, err := os.MkdirTemp("", "reeve-crash-")
	if err != nil {
		return crashed{err: err}
	}
	defer os.RemoveAll(dir)
	mark := filepath.Join(dir, "job.sh")
	script := fmt.Sprintf(crashScript, dir, crashLines, crashCode)
	if err := os.WriteFile(mark, []byte(script), 0o700); err != nil {
		return crashed{err: err}
	}
	defer end(mark)
	defer m.close()
	if err := errors.Join(m.start(), m.submit(mark)); err != nil {
		return crashed{err: err}
	}
	if err := peers.Soon(func() error { _, err := os.Stat(dir + "/half"); return err }); err != nil {
		return crashed{err: err}
	}
	if err := errors.Join(killOne(m.pid()), os.WriteFile(dir+"/go", nil, 0o600)); err != nil {
		return crashed{err: err}
	}
	time.Sleep(500 * time.Millisecond) // what dies of it is dead
	c.survived = len(marked(mark)) > 0
	if err := m.start(); err != nil {
		return crashed{err: fmt.Errorf("again: %w", err)}
	}
	settle(mark)
	starts, _ := os.ReadFile(dir + "/starts")
	c.starts = strings.Count(string(starts), "start")
	c.exit = m.exit()
	output, err := m.output()
	if err != nil {
		output = ""
	}
	c.lines, c.odd = countLines(output)
	return c
}

// killOne kills one process, and never the many that 0 and -1 stand for.
func killOne(pid int) error {
	if pid <= 1 {
		return fmt.Errorf("the manager's process is not known (%d)", pid)
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// settle returns when nothing of a job has lived for a second.
func settle(mark string) {
	quiet := time.Now()
	for end := time.Now().Add(peers.Patience); time.Since(quiet) < time.Second && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if len(marked(mark)) > 0 {
			quiet = time.Now()
		}
	}
}

// countLines counts the lines of the job from the first on, and tells whether
// others follow.
func countLines(output string) (n int, odd bool) {
	for line := range strings.Lines(output) {
		if line != fmt.Sprintf("line %d\n", n+1) {
			return n, true
		}
		n++
	}
	return n, false
}
