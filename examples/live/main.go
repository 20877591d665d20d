// Live shows a command's events as they happen, as a user interface would:
// output line by line, phases, progress, findings, and the end. Ctrl-C cancels
// the command with its whole tree.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

// demo prints what a slow installer might.
const demo = `for i in 1 2 3 4 5; do echo "[$i/5] step $i"; sleep 0.2; done; echo "warning: nothing was installed" >&2`

func run(ctx context.Context, args []string) error {
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()

	task := reeve.Shell(demo)
	if len(args) > 0 {
		task = reeve.Command(args[0], args[1:]...)
	}
	p, err := rt.Spawn(ctx, task)
	if err != nil {
		return err
	}
	interrupted, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	defer context.AfterFunc(interrupted, func() { _ = p.Cancel() })()

	for ev := range p.Events(ctx) {
		render(ev)
	}
	outcome, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	if outcome.Kind == process.OutcomeFailed {
		return fmt.Errorf("%s", outcome.Reason)
	}
	return nil
}

func render(ev reeve.Event) {
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		if !d.Partial {
			fmt.Printf("%4d  %-6s %s\n", ev.Seq, d.Stream, d.Line)
		}
	case process.ProgressUpdated:
		if share, ok := d.Progress.Share(); ok {
			fmt.Printf("%4d  %3.0f %%\n", ev.Seq, 100*share)
		}
	case process.PhaseEntered:
		fmt.Printf("%4d  ▶ %s\n", ev.Seq, d.Label)
	case process.FindingEmitted:
		fmt.Printf("%4d  %s: %s\n", ev.Seq, d.Finding.Severity, d.Finding.Message)
	case process.Finalized:
		fmt.Printf("%4d  %s\n", ev.Seq, d.Outcome.Kind)
	default:
		fmt.Printf("%4d  %s\n", ev.Seq, ev.Kind)
	}
}
