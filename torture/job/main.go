//go:build unix

// Command job is what the fault harness runs as a command: it leaves a trace of
// each of its executions, writes lines that can be foretold, and exits with a
// code that can be.
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/reeverun/reeve/torture"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 99
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	if len(args) != 2 {
		return 0, fmt.Errorf("usage: job JOB WRITER")
	}
	job, err := torture.ParseJob(args[0])
	if err != nil {
		return 0, err
	}
	writer := args[1]
	if job.Kind == torture.Stubborn || job.Kind == torture.Litter && writer == torture.Child {
		signal.Ignore(syscall.SIGTERM)
	}
	if writer == torture.Leader {
		if err := enter(job); err != nil {
			return 0, err
		}
		if len(job.Writers()) > 1 {
			if err := bear(job); err != nil {
				return 0, err
			}
		}
	}
	if err := write(job, writer); err != nil {
		return 0, err
	}
	return job.Code(), nil
}

// enter appends the name, pid and cgroup to the ledger, by one write.
func enter(job torture.Job) error {
	f, err := os.OpenFile(job.Ledger, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %d %s\n", job.Name, os.Getpid(), cgroup())
	return err
}

// cgroup is where this process is in the hierarchy of version 2, if any.
func cgroup() string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSpace(path)
		}
	}
	return "-"
}

// bear starts the child, out of reach of the process group and without an
// environment to be known by.
func bear(job torture.Job) error {
	cmd := exec.Command("/proc/self/exe", job.String(), torture.Child)
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// write writes the lines, each by one write, and waits a little between them.
func write(job torture.Job, writer string) error {
	line := func(n int) (string, error) { return torture.Line(job.Name, writer, "stdout", n), nil }
	if job.Kind == torture.Fed {
		in := bufio.NewReader(os.Stdin)
		line = func(int) (string, error) { return in.ReadString('\n') }
	}
	if job.Kind == torture.Family && writer == torture.Child {
		defer time.Sleep(job.Pace)
	}
	for n := 1; n <= job.Lines || !job.Finite(writer); n++ {
		text, err := line(n)
		if err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString(text); err != nil {
			return err
		}
		if _, err := os.Stderr.WriteString(torture.Line(job.Name, writer, "stderr", n)); err != nil {
			return err
		}
		if job.Pace > 0 {
			time.Sleep(time.Duration(rand.Int64N(2 * int64(job.Pace))))
		}
	}
	return nil
}
