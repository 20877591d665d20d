package rows

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func spawnWait(l *lab.Lab) measure.Row {
	times := l.Size(50, 5)
	bare := func(context.Context) (float64, error) {
		return typical(times, func() error { return exec.Command("true").Run() })
	}
	ours := func(ctx context.Context, rt *reeve.Runtime) (float64, error) {
		return typical(times, func() error { return runTrue(ctx, rt) })
	}
	return measure.Row{
		ID: "spawn-wait", Title: "spawn and wait of true, one at a time, in process", Unit: "ms", Better: measure.Lower, Rounds: 15,
		Subjects: []measure.Subject{
			{Name: "os/exec", Role: measure.Floor, Open: always(bare)},
			{Name: "in memory", Role: measure.Reeve, Open: embedded(l, false, ours)},
			{Name: "durable", Role: measure.Reeve, Open: embedded(l, true, ours)},
		},
		Targets: []measure.Target{{Subject: "in memory", Of: "os/exec", Limit: 1.3}},
	}
}

func spawnsPerSecond(l *lab.Lab) measure.Row {
	const clients = 32
	n := l.Size(1000, 64)
	ours := func(ctx context.Context, rt *reeve.Runtime) (float64, error) {
		return perSecond(n, clients, func() error { return runTrue(ctx, rt) })
	}
	return measure.Row{
		ID: "spawns-per-second", Title: "true, as many as all cores can, for each second", Unit: "/s", Better: measure.Higher, Rounds: 9,
		Subjects: []measure.Subject{
			{Name: "os/exec with pipes", Role: measure.Floor, Open: always(func(context.Context) (float64, error) {
				return perSecond(n, 2*runtime.NumCPU(), piped)
			})},
			{Name: "in memory", Role: measure.Reeve, Open: embedded(l, false, ours)},
			{Name: "durable", Role: measure.Reeve, Open: embedded(l, true, ours)},
			{Name: "durable, over HTTP", Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				return perSecond(n, clients, func() error {
					_, err := d.Run(ctx, lab.TrueCommand)
					return err
				})
			})},
		},
		Targets: []measure.Target{
			{Subject: "in memory", Of: "os/exec with pipes", Limit: 0.8},
			{Subject: "durable, over HTTP", Of: "os/exec with pipes", Limit: 0.5},
		},
	}
}

// piped runs true as whoever wants its output does.
func piped() error {
	var out, problems bytes.Buffer
	cmd := exec.Command("true")
	cmd.Stdout, cmd.Stderr = &out, &problems
	return cmd.Run()
}

func createFinished(l *lab.Lab) measure.Row {
	times := l.Size(50, 5)
	return measure.Row{
		ID: "create-finished", Title: "create to finished of true, one at a time, durable, over HTTP", Unit: "ms", Better: measure.Lower, Rounds: 15,
		Subjects: []measure.Subject{
			{Name: "spawn and fdatasync", Role: measure.Floor, Open: func(context.Context) (measure.Instrument, error) {
				dir, err := l.Scratch()
				if err != nil {
					return nil, err
				}
				f, err := os.Create(filepath.Join(dir, "page"))
				return measure.Closing(func(context.Context) (float64, error) {
					return typical(times, func() error { return lab.SpawnAndSync(f) })
				}, f.Close), err
			}},
			{Name: "over HTTP", Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				return typical(times, func() error {
					_, err := d.Run(ctx, lab.TrueCommand)
					return err
				})
			})},
		},
		Targets: []measure.Target{{Subject: "over HTTP", Of: "spawn and fdatasync", Limit: 2}},
	}
}
