package growth

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/reeverun/reeve/bench/lab"
)

// open creates a writer that waits at its gate.
func open(ctx context.Context, l *lab.Lab, d *lab.Daemon, p pace) (id int64, err error) {
	p.gated = true
	body, err := p.command(l, false)
	if err != nil {
		return 0, err
	}
	return d.Create(ctx, body)
}

// begin opens the gate.
func begin(ctx context.Context, d *lab.Daemon, id int64) error {
	return d.Do(ctx, "POST", fmt.Sprintf("/processes/%d/input", id), "\n", nil)
}

// finalized waits for the end of a process.
func finalized(ctx context.Context, d *lab.Daemon, id int64) error {
	stream, err := d.Events(ctx, fmt.Sprintf("/processes/%d/events?kind=finalized", id))
	if err != nil {
		return err
	}
	defer stream.Close()
	_, err = io.Copy(io.Discard, stream)
	return err
}

// finished waits for a writer and returns how long it says that it took.
func finished(ctx context.Context, d *lab.Daemon, id int64) (time.Duration, error) {
	if err := finalized(ctx, d, id); err != nil {
		return 0, err
	}
	var rec struct{ ExitState, Stderr string }
	if err := d.Do(ctx, "GET", fmt.Sprint("/processes/", id), "", &rec); err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(rec.Stderr), 10, 64)
	if err != nil || rec.ExitState != "success" {
		return 0, fmt.Errorf("the writer ended as %q and said %q", rec.ExitState, rec.Stderr)
	}
	return time.Duration(ns), nil
}

// readers follow event streams, each in a goroutine of its own.
type readers struct {
	all  sync.WaitGroup
	mu   sync.Mutex
	seen int // events, of all
	err  error
}

// follow opens n streams and calls each for every event of any of them.
func follow(ctx context.Context, d *lab.Daemon, n int, path string, each func(data []byte)) (*readers, error) {
	r := &readers{}
	for range n {
		stream, err := d.Events(ctx, path)
		if err != nil {
			return nil, err
		}
		r.all.Go(func() {
			defer stream.Close()
			seen, err := readEvents(stream, each)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.seen += seen
			if err != nil && ctx.Err() == nil && r.err == nil {
				r.err = err
			}
		})
	}
	return r, nil
}

// wait waits for the ends of all streams and returns how many events came.
func (r *readers) wait() (int, error) {
	r.all.Wait()
	return r.seen, r.err
}

// readEvents reads a stream to its end.
func readEvents(stream io.Reader, each func(data []byte)) (seen int, err error) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for lines.Scan() {
		if data, is := bytes.CutPrefix(lines.Bytes(), []byte("data:")); is {
			seen++
			if each != nil {
				each(data)
			}
		}
	}
	return seen, lines.Err()
}
