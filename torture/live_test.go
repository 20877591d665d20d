//go:build linux

package torture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// witness remembers each event that was seen, live or replayed: an event that
// comes again must be the same.
type witness struct {
	t testing.TB

	mu     sync.Mutex
	prints map[int64][]uint64 // by process; of seq 1, 2, …; 0 is unseen
	last   map[int64]int64    // by process: the last one that came live
	live   int64              // how many came live
	lagged int64              // how often some were missed

	cursor string // of the last live one; of the follower alone
}

func newWitness(t testing.TB) *witness {
	return &witness{t: t, prints: map[int64][]uint64{}, last: map[int64]int64{}, cursor: "0"}
}

// see compares an event with what was seen under its number before.
func (w *witness) see(ev event, how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.prints[ev.Process]
	for int64(len(seen)) < ev.Seq {
		seen = append(seen, 0)
	}
	if before := seen[ev.Seq-1]; before != 0 && before != ev.print {
		w.t.Errorf("process %d: event %d is another one when %s: %+v", ev.Process, ev.Seq, how, ev)
	}
	seen[ev.Seq-1] = ev.print
	w.prints[ev.Process] = seen
}

// hear takes an event of the live stream: each comes once, in order, whatever
// became of the daemon in between.
func (w *witness) hear(ev event) {
	w.see(ev, "live")
	w.mu.Lock()
	defer w.mu.Unlock()
	if ev.Seq != w.last[ev.Process]+1 {
		w.t.Errorf("process %d: after event %d the stream has event %d (cursor %s after %s)", ev.Process, w.last[ev.Process], ev.Seq, ev.Cursor, w.cursor)
	}
	w.last[ev.Process] = ev.Seq
	w.live++
}

// heard is the last event of a process that came live.
func (w *witness) heard(id int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last[id]
}

// known is the highest number of an event of a process that anyone has seen.
func (w *witness) known(id int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return int64(len(w.prints[id]))
}

// tally is how many events came live, and how often some were missed.
func (w *witness) tally() (live, lagged int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.live, w.lagged
}

// follow reads the live events of all processes until ctx is over, through
// each crash, and goes on after the last one it had.
func (w *witness) follow(ctx context.Context, d *daemon) {
	for ctx.Err() == nil {
		if err := w.connect(ctx, d); err != nil {
			if errors.Is(err, errRefused) {
				w.t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond): // no daemon now
			}
		}
	}
}

func (w *witness) connect(ctx context.Context, d *daemon) error {
	return d.stream(ctx, "/events?after="+w.cursor, func(ev event) bool {
		if ev.Kind == "lagged" {
			w.mu.Lock()
			w.lagged++
			w.mu.Unlock()
			return false // what was missed is asked for
		}
		w.hear(ev)
		w.cursor = ev.Cursor
		return true
	})
}

// forget drops what is known of a process that is deleted.
func (w *witness) forget(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.prints, id)
	delete(w.last, id)
}

// errRefused is the error of a stream that a daemon did not begin.
var errRefused = errors.New("the stream is refused")

// stream reads live events, without those of lines that are not complete yet,
// until take has enough or the stream ends.
func (d *daemon) stream(ctx context.Context, path string, take func(event) bool) error {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://reeve"+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := d.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == 503 {
		return fmt.Errorf("GET %s: %s", path, res.Status) // it is being stopped
	}
	if res.StatusCode != 200 {
		return fmt.Errorf("%w: GET %s: %s", errRefused, path, res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		raw, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		ev, err := parseEvent(raw)
		if err != nil {
			return err // cut by the crash
		}
		if !ev.Partial && !take(ev) {
			return nil
		}
	}
	return lines.Err()
}
