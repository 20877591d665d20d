package rows

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/peer"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/v8"
)

// waitingProgram waits for a timer. In isolated-vm there are none, and a program
// may wait for nothing.
const (
	waitingProgram  = `console.log("waiting"); await new Promise((done) => setTimeout(done, 3600_000));`
	waitingIsolated = `console.log("waiting"); await new Promise(() => {});`
)

func programsSuspended(l *lab.Lab, p *peer.Set) measure.Row {
	n := l.Size(200, 10)
	ofProcess, withDaemon := "its process", "its process, and its part of the daemon"
	limit := []string{"--concurrency", "typescript=" + strconv.Itoa(n)}
	return measure.Row{
		ID: "ts-suspended", Title: "memory of a TypeScript program that waits, each of " + grouped(n), Unit: "kB", Better: measure.Lower, Rounds: 3,
		Subjects: []measure.Subject{
			{Name: "V8 child alone", Role: measure.Floor, Open: bareV8(l, 0, func(ctx context.Context, e *v8.Engine) (float64, error) { return suspendedBare(ctx, e, n) })},
			{Name: ofProcess, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				processes, _, err := suspendedServed(ctx, d, n)
				return processes, err
			}, limit...)},
			{Name: withDaemon, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				processes, daemon, err := suspendedServed(ctx, d, n)
				return processes + daemon, err
			}, limit...)},
			p.Isolated(func(ctx context.Context, i peer.Isolated) (float64, error) {
				return i.Suspended(ctx, waitingIsolated, l.Size(50, 5))
			}),
		},
		Targets: []measure.Target{{Subject: ofProcess, Limit: 500}},
	}
}

// suspendedServed has n programs wait, and returns what each has in its process
// and adds to the daemon.
func suspendedServed(ctx context.Context, d *lab.Daemon, n int) (process, daemon float64, err error) {
	before, err := lab.Status(d.PID, "RssAnon")
	if err != nil {
		return 0, 0, err
	}
	ids := make([]int64, 0, n)
	defer func() {
		for _, id := range ids {
			err = errors.Join(err, d.KillNow(ctx, id))
		}
	}()
	var pids []int
	for range n {
		id, err := d.Create(ctx, programBody(waitingProgram, false))
		if err != nil {
			return 0, 0, err
		}
		ids = append(ids, id)
		pid, err := waits(ctx, d, id)
		if err != nil {
			return 0, 0, err
		}
		pids = append(pids, pid)
	}
	sum, err := proportional(pids)
	if err != nil {
		return 0, 0, err
	}
	after, err := lab.Status(d.PID, "RssAnon")
	return sum / float64(n), kilobytes(after-before) / float64(n), err
}

// waits follows a program until it has said something, and returns its process of
// the operating system.
func waits(ctx context.Context, d *lab.Daemon, id int64) (pid int, err error) {
	stream, err := d.Events(ctx, fmt.Sprintf("/processes/%d/events", id))
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), `"pid":`); found {
			_, _ = fmt.Sscan(after, &pid)
		}
		if strings.Contains(lines.Text(), "output_appended") {
			return pid, nil
		}
	}
	return 0, errors.Join(fmt.Errorf("process %d said nothing", id), lines.Err())
}

// suspendedBare is the same of V8's children alone.
func suspendedBare(ctx context.Context, e *v8.Engine, n int) (_ float64, err error) {
	var children []engine.Child
	defer func() {
		for _, c := range children {
			err = errors.Join(err, c.Close())
		}
	}()
	var pids []int
	for range n {
		child, frames, err := beginBare(ctx, e, waitingProgram)
		if err != nil {
			return 0, err
		}
		children, pids = append(children, child), append(pids, child.PID())
		if err := upTo(frames, engine.TypeStdout); err != nil {
			return 0, err
		}
	}
	sum, err := proportional(pids)
	return sum / float64(n), err
}

// proportional adds up the memory of processes, in kB; see lab.Proportional.
func proportional(pids []int) (sum float64, err error) {
	for _, pid := range pids {
		kib, err := lab.Proportional(pid)
		if err != nil {
			return 0, err
		}
		sum += kilobytes(kib)
	}
	return sum, nil
}

// kilobytes makes them of the kibibytes that the system counts in.
func kilobytes(kib int64) float64 { return float64(kib) * 1.024 }
