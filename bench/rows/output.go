package rows

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func capture(l *lab.Lab) measure.Row {
	r := captured(l, "none", 0.8)
	r.ID, r.Title = "capture", "100-byte lines captured, split and indexed"
	return r
}

func captureGeneric(l *lab.Lab) measure.Row {
	r := captured(l, "generic", 0)
	r.ID, r.Title = "capture-generic", "100-byte lines captured and read by the default interpreter"
	return r
}

// captured holds a job whose output is captured against a child that writes it
// into a file.
func captured(l *lab.Lab, interpreter string, target float64) measure.Row {
	size := l.Size(1<<30, 16<<20)
	name := fmt.Sprintf("interpreter %q", interpreter)
	r := measure.Row{
		Unit: "GB/s", Better: measure.Higher, Rounds: 9,
		Subjects: []measure.Subject{
			{Name: "child writes a file", Role: measure.Floor, Open: always(func(ctx context.Context) (float64, error) {
				return gigabytes(size, func() error { return writeAlone(ctx, l, size) })
			})},
			{Name: name, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				return captureOnce(ctx, l, d, size, interpreter)
			}, "--log-cap", "4GiB")},
		},
	}
	if target > 0 {
		r.Targets = []measure.Target{{Subject: name, Of: "child writes a file", Limit: target}}
	}
	return r
}

func writeAlone(ctx context.Context, l *lab.Lab, size int) error {
	path := filepath.Join(l.Dir, "alone")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	cmd := exec.CommandContext(ctx, l.Child, "lines", strconv.Itoa(size))
	cmd.Stdout = f
	return cmd.Run()
}

func captureOnce(ctx context.Context, l *lab.Lab, d *lab.Daemon, size int, interpreter string) (float64, error) {
	body := fmt.Sprintf(`{"environment":"command","command":{"program":%q,"args":["lines","%d"]},"interpreter":%q,"block":true}`, l.Child, size, interpreter)
	var id int64
	figure, err := gigabytes(size, func() (err error) {
		id, err = d.Run(ctx, body)
		return err
	})
	if err != nil {
		return 0, err
	}
	path := fmt.Sprintf("/processes/%d", id)
	var rec struct{ StdoutBytes int }
	if err := d.Do(ctx, "GET", path, "", &rec); err != nil {
		return 0, err
	}
	if rec.StdoutBytes != size {
		return 0, fmt.Errorf("%d bytes of %d were captured", rec.StdoutBytes, size)
	}
	return figure, d.Do(ctx, "DELETE", path, "", nil)
}

// gigabytes is how many of them a job writes in a second.
func gigabytes(size int, job func() error) (float64, error) {
	begin := time.Now()
	err := job()
	return float64(size) / time.Since(begin).Seconds() / 1e9, err
}
