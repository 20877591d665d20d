package rows

import (
	"context"
	"fmt"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// manyRecords is how many finished processes a large daemon keeps.
func manyRecords(l *lab.Lab) int { return l.Size(1_000_000, 20_000) }

func list50(l *lab.Lab) measure.Row {
	few, many := 1000, manyRecords(l)
	small, large := grouped(few)+" records", grouped(many)+" records"
	times := l.Size(500, 50)
	listed := func(records int) opener {
		return func(ctx context.Context) (measure.Instrument, error) {
			dir, err := l.FilledCopy(ctx, records)
			if err != nil {
				return nil, err
			}
			d, err := l.Daemon(ctx, dir)
			if err != nil {
				return nil, err
			}
			return measure.Closing(func(ctx context.Context) (float64, error) {
				took, err := each(times, func() error { return listNewest(ctx, d, records) })
				return measure.Quantile(took, 0.99), err
			}, d.Close), nil
		}
	}
	return measure.Row{
		ID: "list-50", Title: "list of the newest 50 over HTTP, p99, with so many records", Unit: "ms", Better: measure.Lower, Rounds: 9,
		Subjects: []measure.Subject{
			{Name: small, Role: measure.Floor, Open: listed(few)},
			{Name: large, Role: measure.Reeve, Open: listed(many)},
		},
		Targets: []measure.Target{{Subject: large, Of: small, Limit: 3}},
	}
}

// page is a list as a client sees it.
type page struct {
	Processes []struct {
		ID    int
		State string
	}
}

// listNewest asks for the newest 50 and wants them to be those.
func listNewest(ctx context.Context, d *lab.Daemon, newest int) error {
	var p page
	if err := d.Do(ctx, "GET", "/processes?limit=50", "", &p); err != nil {
		return err
	}
	if len(p.Processes) != 50 || p.Processes[0].ID != newest || p.Processes[49].ID != newest-49 {
		return fmt.Errorf("the list has %d processes, and should have 50 from %d down", len(p.Processes), newest)
	}
	return nil
}

// grouped writes a number as people read it.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}
