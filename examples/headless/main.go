// Headless runs one command and uses its outcome: what a script or a service
// does that wants an answer, not a screen.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/reeverun/reeve"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "headless:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()

	task := reeve.Shell("echo building; sleep 0.1; echo 3/3 done")
	if len(args) > 0 {
		task = reeve.Command(args[0], args[1:]...)
	}
	p, err := rt.Spawn(ctx, task.Label("build").Timeout(time.Minute))
	if err != nil {
		return err
	}
	outcome, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	rec, err := p.Process(ctx)
	if err != nil {
		return err
	}
	if _, err := rt.WriteOutput(ctx, os.Stdout, p.ID(), 0, reeve.Stdout); err != nil {
		return err
	}
	fmt.Printf("process %d %s: exit %d (%s) after %d ms, tree held by %s\n",
		rec.ID, outcome.Kind, rec.Exit.Code, rec.Exit.Reason, rec.Usage.WallMS, treeKill(rec))
	if !outcome.Succeeded() {
		return fmt.Errorf("%s", outcome.Reason)
	}
	return nil
}

func treeKill(rec *reeve.Process) string {
	if rec.Enforced == nil {
		return "nothing: it never started"
	}
	return rec.Enforced.TreeKill
}
