package reeve_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

func Example() {
	ctx := context.Background()
	rt, err := reeve.Open(ctx, reeve.Config{}) // in memory; Config{Dir: dir} keeps everything
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	p, err := rt.Spawn(ctx, reeve.Command("echo", "hello").Label("greet").Timeout(time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := p.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.ID(), outcome.Kind)
	_, _ = rt.WriteOutput(ctx, os.Stdout, p.ID(), 0, reeve.Stdout)
	// Output:
	// 1 succeeded
	// hello
}

func ExampleHandle_Events() {
	ctx := context.Background()
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	p, err := rt.Spawn(ctx, reeve.Shell("echo one; echo two"))
	if err != nil {
		log.Fatal(err)
	}
	for ev := range p.Events(ctx) {
		switch d := ev.Data.(type) {
		case process.OutputAppended:
			fmt.Println("line:", d.Line)
		case process.Finalized:
			fmt.Println("end:", d.Outcome.Kind)
		}
	}
	// Output:
	// line: one
	// line: two
	// end: succeeded
}

func ExampleFunc() {
	ctx := context.Background()
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	p, err := rt.Spawn(ctx, reeve.Func("sum", func(_ context.Context, c *reeve.FuncCall) error {
		c.Output(map[string]any{"sum": 1 + 2})
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	rec, err := p.Process(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rec.Output["sum"])
	// Output: 3
}
