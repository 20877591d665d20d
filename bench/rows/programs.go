package rows

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/peer"
	"github.com/reeverun/reeve/env/typescript/v8"
)

const (
	helloProgram = `console.log("hello", 1 + 1);`
	helloOutput  = "hello 2\n"

	programServed = "over HTTP, durable"
	isolated      = "isolated-vm"
)

// programBody is the request for a program.
func programBody(code string, block bool) string {
	body, _ := json.Marshal(map[string]any{"environment": "typescript", "code": code, "block": block, "options": map[string]any{"timeout": 600_000}})
	return string(body)
}

// runHello runs the program that says hello, and wants that of it.
func runHello(ctx context.Context, d *lab.Daemon) error {
	var rec struct{ ExitState, Stdout string }
	err := d.Do(ctx, "POST", "/processes", programBody(helloProgram, true), &rec)
	if err == nil && (rec.ExitState != "success" || rec.Stdout != helloOutput) {
		err = fmt.Errorf("the program ended as %q and wrote %q", rec.ExitState, rec.Stdout)
	}
	return err
}

func programOutput(l *lab.Lab, p *peer.Set) measure.Row {
	times := l.Size(50, 5)
	return measure.Row{
		ID: "ts-create-output", Title: "TypeScript, create to output of a program seen before", Unit: "ms", Better: measure.Lower, Rounds: 15,
		Subjects: []measure.Subject{
			{Name: "V8 child and fdatasync", Role: measure.Floor, Open: func(ctx context.Context) (measure.Instrument, error) {
				dir, err := l.Scratch()
				if err != nil {
					return nil, err
				}
				return bareV8(l, 8, func(ctx context.Context, e *v8.Engine) (float64, error) {
					f, err := os.Create(filepath.Join(dir, "page"))
					if err != nil {
						return 0, err
					}
					defer f.Close()
					return typical(times, func() error { return runBareAndSync(ctx, e, f) })
				})(ctx)
			}},
			{Name: programServed, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				return typical(times, func() error { return runHello(ctx, d) })
			})},
			p.Isolated(func(ctx context.Context, i peer.Isolated) (float64, error) {
				took, err := i.Run(ctx, helloProgram, times, 1)
				return measure.Median(took.Each), err
			}),
		},
		Targets: []measure.Target{{Subject: programServed, Of: isolated, Limit: 0.6}},
	}
}

func runBareAndSync(ctx context.Context, e *v8.Engine, f *os.File) error {
	if err := runBare(ctx, e, helloProgram); err != nil {
		return err
	}
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		return err
	}
	return lab.SyncData(f)
}

func programsPerSecond(l *lab.Lab, p *peer.Set) measure.Row {
	const clients = 16
	n := l.Size(600, 32)
	return measure.Row{
		ID: "ts-per-second", Title: "TypeScript programs, each in a fresh sandbox, on all cores", Unit: "/s", Better: measure.Higher, Rounds: 9,
		Subjects: []measure.Subject{
			{Name: "V8 children alone", Role: measure.Floor, Open: bareV8(l, 8, func(ctx context.Context, e *v8.Engine) (float64, error) {
				return perSecond(n, runtime.NumCPU(), func() error { return runBare(ctx, e, helloProgram) })
			})},
			{Name: programServed, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
				return perSecond(n, clients, func() error { return runHello(ctx, d) })
			})},
			p.Isolated(func(ctx context.Context, i peer.Isolated) (float64, error) { return isolatedPerSecond(ctx, i, n) }),
		},
		Targets: []measure.Target{{Subject: programServed, Of: isolated, Limit: 1.5}},
	}
}

// isolatedPerSecond is the better of one isolate at a time and one for each core.
func isolatedPerSecond(ctx context.Context, i peer.Isolated, n int) (float64, error) {
	one, err := i.Run(ctx, helloProgram, n, 1)
	if err != nil {
		return 0, err
	}
	all, err := i.Run(ctx, helloProgram, n, runtime.NumCPU())
	return float64(n) / min(one.Total, all.Total) * 1e3, err
}

// computations are programs that compute. The first is what a target is set for;
// the others are figures.
var computations = []struct{ name, code string }{
	{"fib", `const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); console.log(fib(34));`},
	{"regex", `let n = 0; const s = "lorem ipsum dolor sit amet 2026-11-15 ".repeat(20000); for (const m of s.matchAll(/(\d+)-(\d+)-(\d+)/g)) n += +m[1]; console.log(n);`},
	{"json", `let o = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: "n" + i, tags: ["a", "b"] })); for (let i = 0; i < 10; i++) o = JSON.parse(JSON.stringify(o)); console.log(o.length);`},
	{"sort", `const a = Array.from({ length: 500000 }, (_, i) => (i * 7919) % 1000003); a.sort((x, y) => x - y); console.log(a[1000]);`},
}

func programsThatCompute(l *lab.Lab, p *peer.Set) (all []measure.Row) {
	times := l.Size(3, 1)
	for at, c := range computations {
		r := measure.Row{
			ID: "ts-compute-" + c.name, Title: "TypeScript that computes: " + c.name, Unit: "ms", Better: measure.Lower, Rounds: 7,
			Subjects: []measure.Subject{
				{Name: "V8 child alone", Role: measure.Floor, Open: bareV8(l, 0, func(ctx context.Context, e *v8.Engine) (float64, error) {
					return typical(times, func() error { return runBare(ctx, e, c.code) })
				})},
				{Name: programServed, Role: measure.Reeve, Open: served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) {
					return typical(times, func() error { _, err := d.Run(ctx, programBody(c.code, true)); return err })
				})},
				p.Isolated(func(ctx context.Context, i peer.Isolated) (float64, error) {
					took, err := i.Run(ctx, c.code, times, 1)
					return measure.Median(took.Each), err
				}),
			},
		}
		if at == 0 {
			r.Targets = []measure.Target{{Subject: programServed, Of: isolated, Limit: 1.2}}
		}
		all = append(all, r)
	}
	return all
}
