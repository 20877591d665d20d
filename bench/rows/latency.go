package rows

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// clockEvery is the mean pause between two lines whose way is timed.
const clockEvery = 20 * time.Millisecond

func lineLatency(l *lab.Lab) measure.Row {
	n := l.Size(100, 10)
	idle := func(ctx context.Context, d *lab.Daemon) (float64, error) { return seenAfter(ctx, l, d, n) }
	loaded := func(ctx context.Context, d *lab.Daemon) (_ float64, err error) {
		stop, err := load(ctx, l, d)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		return seenAfter(ctx, l, d, n)
	}
	return measure.Row{
		ID: "line-latency", Title: "a line seen by a subscriber over HTTP after its write, median", Unit: "ms", Better: measure.Lower, Rounds: 5,
		Subjects: []measure.Subject{
			{Name: "inotify", Role: measure.Floor, Open: always(func(ctx context.Context) (float64, error) { return noticedAfter(ctx, l, n) })},
			{Name: "idle", Role: measure.Reeve, Open: served(l, idle)},
			{Name: "under load", Role: measure.Reeve, Open: served(l, loaded, "--concurrency", "command=16", "--log-cap", "64MiB")},
		},
		Targets: []measure.Target{{Subject: "idle", Limit: 1}, {Subject: "under load", Limit: 15}},
	}
}

// load keeps the daemon and all cores busy until it is stopped: a job that
// prints as fast as it can, a write for each line, and clients that have short
// jobs run.
func load(ctx context.Context, l *lab.Lab, d *lab.Daemon) (stop func() error, err error) {
	flood, err := d.Create(ctx, fmt.Sprintf(`{"environment":"command","command":{"program":%q,"args":["flood"]}}`, l.Child))
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	var failed error
	var once sync.Once
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if _, err := d.Run(ctx, lab.TrueCommand); err != nil {
					once.Do(func() { failed = err })
					return
				}
			}
		})
	}
	return func() error {
		close(ended)
		wg.Wait()
		return errors.Join(failed, d.KillNow(ctx, flood), d.Do(ctx, "DELETE", fmt.Sprintf("/processes/%d", flood), "", nil))
	}, nil
}

// seenAfter is how long a line takes from the job's write to a subscriber.
func seenAfter(ctx context.Context, l *lab.Lab, d *lab.Daemon, n int) (float64, error) {
	id, err := d.Create(ctx, fmt.Sprintf(`{"environment":"command","command":{"program":%q,"args":["clock","%d","%s"]}}`, l.Child, n, clockEvery))
	if err != nil {
		return 0, err
	}
	stream, err := d.Events(ctx, fmt.Sprintf("/processes/%d/events", id))
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	return waysOf(n, time.Now(), func(seen func([]byte)) error { return eachLine(stream, seen) })
}

// waysOf times the lines that come by: each holds when it was written. Those
// of before are not news.
func waysOf(n int, from time.Time, follow func(seen func([]byte)) error) (float64, error) {
	var took []float64
	lines := 0
	err := follow(func(line []byte) {
		now := time.Now()
		written, err := strconv.ParseInt(string(line), 10, 64)
		if err != nil {
			return
		}
		lines++
		if at := time.Unix(0, written); at.After(from) {
			took = append(took, millis(now.Sub(at)))
		}
	})
	if err == nil && (lines != n || len(took) == 0) {
		err = fmt.Errorf("%d lines of %d came by, %d of them as news", lines, n, len(took))
	}
	return measure.Median(took), err
}

// eachLine reads the lines of output of an event stream to its end.
func eachLine(stream io.Reader, seen func([]byte)) error {
	in := bufio.NewScanner(stream)
	for in.Scan() {
		data, is := bytes.CutPrefix(in.Bytes(), []byte("data:"))
		if !is {
			continue
		}
		var ev struct {
			Kind    string
			Line    string
			Partial bool
		}
		if err := json.Unmarshal(data, &ev); err != nil {
			return fmt.Errorf("%q is no event: %w", data, err)
		}
		if ev.Kind == "output_appended" && !ev.Partial {
			seen([]byte(ev.Line))
		}
	}
	return in.Err()
}
