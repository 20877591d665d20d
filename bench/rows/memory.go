package rows

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func parked(l *lab.Lab) measure.Row {
	n := l.Size(2000, 100)
	return measure.Row{
		ID: "parked", Title: "memory of a sleeping command in daemon and keeper, each of " + grouped(n), Unit: "kB", Better: measure.Lower, Rounds: 2, Cold: true,
		Subjects: []measure.Subject{
			{Name: "pidfd and goroutine", Role: measure.Floor, Open: always(func(ctx context.Context) (float64, error) { return parkedBare(ctx, l, n) })},
			{Name: "daemon and keeper", Role: measure.Reeve, Open: always(func(ctx context.Context) (float64, error) { return parkedServed(ctx, l, n) })},
		},
		Targets: []measure.Target{{Subject: "daemon and keeper", Limit: 30}},
	}
}

func parkedBare(ctx context.Context, l *lab.Lab, n int) (float64, error) {
	out, err := exec.CommandContext(ctx, l.Child, "parked", strconv.Itoa(n)).Output()
	if err != nil {
		return 0, measure.Skipf("%v", err)
	}
	bytes, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return bytes / 1e3, err
}

// parkedServed takes a new daemon each time: one that has had many parked keeps
// the memory for the next.
func parkedServed(ctx context.Context, l *lab.Lab, n int) (_ float64, err error) {
	dir, err := l.Scratch()
	if err != nil {
		return 0, err
	}
	d, err := l.Daemon(ctx, dir, "--concurrency", "command=none")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := park(ctx, d, n/4, n/4); err != nil { // the first pay for what all share
		return 0, err
	}
	before, err := settled(ctx, l, d)
	if err != nil {
		return 0, err
	}
	if err := park(ctx, d, n, n/4+n); err != nil {
		return 0, err
	}
	after, err := settled(ctx, l, d)
	return float64(after-before) * 1.024 / float64(n), err
}

// park starts n sleeping commands, and waits until that many run in all.
func park(ctx context.Context, d *lab.Daemon, n, all int) error {
	err := lab.Together(n, 8, func() error {
		_, err := d.Create(ctx, `{"environment":"command","command":{"program":"sleep","args":["86399"]}}`)
		return err
	})
	if err == nil {
		err = lab.Until(ctx, 5*time.Minute, func() bool { return running(ctx, d) == all })
	}
	if err != nil {
		return fmt.Errorf("start %d sleeping commands: %w", n, err)
	}
	return nil
}

// running asks how many processes run; a daemon that does not say has none.
func running(ctx context.Context, d *lab.Daemon) int {
	var o struct{ States struct{ Running int } }
	_ = d.Do(ctx, "GET", "/overview", "", &o)
	return o.States.Running
}

// settled is the memory of a daemon that has come to rest: it gives back what a
// burst of starts has left when it has been quiet for some seconds.
func settled(ctx context.Context, l *lab.Lab, d *lab.Daemon) (least int64, err error) {
	rest := time.Duration(l.Size(30, 0)) * time.Second
	for since := time.Now(); least == 0 || time.Since(since) < rest && ctx.Err() == nil; time.Sleep(time.Second) {
		now, err := memory(d)
		if err != nil {
			return 0, err
		}
		if least == 0 || now < least*99/100 {
			least, since = now, time.Now()
		}
	}
	return least, ctx.Err()
}

// memory is what daemon and keeper have for themselves, in KiB.
func memory(d *lab.Daemon) (int64, error) {
	keeper, err := d.Keeper()
	if err != nil {
		return 0, err
	}
	a, err := lab.Status(d.PID, "RssAnon")
	b, err2 := lab.Status(keeper, "RssAnon")
	return a + b, errors.Join(err, err2)
}
