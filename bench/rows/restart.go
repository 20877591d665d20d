package rows

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver that the scan uses

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func restart(l *lab.Lab) measure.Row {
	w := &world{l: l, finished: manyRecords(l), live: liveCommands(l)}
	return measure.Row{
		ID: "restart", Title: fmt.Sprintf("start after kill -9 to the first right list, %s live, %s finished", grouped(w.live), grouped(w.finished)),
		Unit: "ms", Better: measure.Lower, Rounds: 5,
		Subjects: []measure.Subject{
			{Name: "scan of the live rows", Role: measure.Floor, Open: w.share(w.scan)},
			{Name: "restart", Role: measure.Reeve, Open: w.share(w.restart)},
		},
		Targets: []measure.Target{{Subject: "restart", Limit: 500}},
	}
}

// liveCommands is how many sleeping commands the machine has room for, up to
// what is wanted.
func liveCommands(l *lab.Lab) int {
	room := math.MaxInt
	for _, file := range []string{"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max", "/sys/fs/cgroup/pids.max"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil { // it may be "max"
			room = min(room, n/2)
		}
	}
	return min(l.Size(10_000, 200), room)
}

// world is a daemon with many live and many more finished processes. Both
// subjects of the row look at it; it ends with the last of them.
type world struct {
	l              *lab.Lab
	finished, live int
	daemon         *lab.Daemon
	users          int
}

func (w *world) share(round measure.Func) opener {
	return func(ctx context.Context) (measure.Instrument, error) {
		if w.users == 0 {
			if err := w.begin(ctx); err != nil {
				return nil, err
			}
		}
		w.users++
		return measure.Closing(round, func() error {
			if w.users--; w.users > 0 {
				return nil
			}
			return w.end()
		}), nil
	}
}

// end stops the daemon once it is ready: before that it knows nothing of the
// commands that it has to end.
func (w *world) end() error {
	return errors.Join(w.daemon.Ready(context.Background()), w.daemon.Close())
}

func (w *world) arguments() []string { return []string{"--concurrency", "command=none"} }

func (w *world) begin(ctx context.Context) error {
	dir, err := w.l.FilledCopy(ctx, w.finished)
	if err != nil {
		return err
	}
	if w.daemon, err = w.l.Daemon(ctx, dir, w.arguments()...); err != nil {
		return err
	}
	if err := park(ctx, w.daemon, w.live, w.live); err != nil {
		return errors.Join(err, w.daemon.Close())
	}
	return nil
}

// restart kills the daemon, starts the next and waits for its first right list.
func (w *world) restart(ctx context.Context) (float64, error) {
	if err := w.daemon.Crash(); err != nil {
		return 0, err
	}
	begin := time.Now()
	d, err := w.l.Start(w.daemon.Dir, w.arguments()...)
	if err != nil {
		return 0, err
	}
	w.daemon = d
	var last error
	err = lab.Until(ctx, time.Minute, func() bool {
		last = w.listedRight(ctx)
		return last == nil
	})
	return millis(time.Since(begin)), errors.Join(err, last)
}

// listedRight wants the newest 50, which are live and must be said to be.
func (w *world) listedRight(ctx context.Context) error {
	var p page
	if err := w.daemon.Do(ctx, "GET", "/processes?limit=50", "", &p); err != nil {
		return err
	}
	if len(p.Processes) != 50 {
		return fmt.Errorf("%d processes are listed, not 50", len(p.Processes))
	}
	for i, r := range p.Processes {
		if want := w.finished + w.live - i; r.ID != want || r.State != "running" {
			return fmt.Errorf("process %d, %s, is listed where %d runs", r.ID, r.State, want)
		}
	}
	return nil
}

// scan reads the rows that are not idle by their index, with nothing around.
func (w *world) scan(ctx context.Context) (_ float64, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.daemon.Dir, "reeve.db")+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	begin := time.Now()
	live, err := db.QueryContext(ctx, "SELECT id, body FROM processes WHERE state BETWEEN 1 AND 3")
	if err != nil {
		return 0, err
	}
	defer live.Close()
	n := 0
	for ; live.Next(); n++ {
		var id int64
		var body string
		if err := live.Scan(&id, &body); err != nil {
			return 0, err
		}
	}
	took := time.Since(begin)
	if n != w.live {
		err = fmt.Errorf("%d rows of %d are live", n, w.live)
	}
	return millis(took), errors.Join(err, live.Err())
}
