package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// killOptions are the flags of kill.
type killOptions struct {
	now, noTree bool
	grace       time.Duration
}

func (a *App) killCommand() *cobra.Command {
	var o killOptions
	cmd := &cobra.Command{
		Use:   "kill ID…",
		Short: "End processes and everything they started",
		Long: "End processes: SIGTERM, and after a grace SIGKILL. It waits until they are dead and\n" +
			"says what ended and what, if anything, is left. Everything a command started dies\n" +
			"with it; its child processes in Reeve do too, unless --no-tree is given.",
		Example:           "  reeve kill 12\n  reeve kill --now 12 13\n  reeve kill --grace 30s nightly",
		Args:              needIDs,
		ValidArgsFunction: a.completeIDs(process.Running, process.Queued, process.Terminating),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := api.Kill{Now: o.now}
			if cmd.Flags().Changed("grace") {
				if o.grace < 0 {
					return usagef("--grace %s: want 0 or more", o.grace)
				}
				body.Grace = api.MS(o.grace.Milliseconds())
			}
			if tree := !o.noTree; o.noTree {
				body.Tree = &tree
			}
			return a.kill(cmd.Context(), args, body)
		},
	}
	cmd.Flags().BoolVar(&o.now, "now", false, "SIGKILL at once")
	cmd.Flags().DurationVar(&o.grace, "grace", 0, "time between SIGTERM and SIGKILL (default: the process's own)")
	cmd.Flags().BoolVar(&o.noTree, "no-tree", false, "leave its child processes in Reeve alone")
	return cmd
}

// kill asks for every end first and then waits for them, so that graces run at
// the same time.
func (a *App) kill(ctx context.Context, args []string, body api.Kill) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	ids, err := findAll(ctx, c, args)
	if err != nil {
		return err
	}
	k := &killing{client: c, body: body}
	if err := k.mark(ctx); err != nil {
		return err
	}
	failed := a.each(ids, func(id process.ID) error { return k.look(ctx, id) })
	failed = errors.Join(failed, a.each(slices.Clone(k.named), func(id process.ID) error { return k.ask(ctx, id) }))
	if err := k.wait(ctx); err != nil {
		return err
	}
	if err := k.count(ctx); err != nil {
		return err
	}
	return errors.Join(failed, a.reportKill(k))
}

// killing is what one kill command is about.
type killing struct {
	client *client.Client
	body   api.Kill
	named  []process.ID // to be killed
	active []process.ID // those, and what dies with them
	ended  []process.Record
	cursor string // of the events, from before
	dead   int    // processes of the operating system, or of Reeve where there are none
}

// mark takes note of where the events are.
func (k *killing) mark(ctx context.Context) error {
	now, err := k.client.AllEventsPage(ctx, client.EventFilter{}, "")
	k.cursor = cmp.Or(now.Next, "0")
	return err
}

// count adds up how many processes each kill was about.
func (k *killing) count(ctx context.Context) error {
	of := map[process.ID]int{}
	for after := k.cursor; ; {
		page, err := k.client.AllEventsPage(ctx, client.EventFilter{Kind: process.KindCancelled}, after)
		if err != nil {
			return err
		}
		for _, ev := range page.Events {
			if d, ok := ev.Data.(process.Cancelled); ok {
				of[ev.Process] = d.Processes
			}
		}
		if len(page.Events) == 0 || page.Next == after {
			break
		}
		after = page.Next
	}
	for _, id := range k.active {
		k.dead += max(1, of[id])
	}
	return nil
}

// look notes what will die.
func (k *killing) look(ctx context.Context, id process.ID) error {
	t, err := k.client.Tree(ctx, id)
	if err != nil {
		return err
	}
	if t.State == process.Idle {
		return process.Errorf(process.CodeAlreadyIdle, "%s is not running", id)
	}
	k.named = append(k.named, id)
	if k.body.Tree != nil && !*k.body.Tree {
		t.Children = nil
	}
	k.note(&t)
	return nil
}

func (k *killing) note(t *api.Tree) {
	if t.State != process.Idle && !slices.Contains(k.active, t.ID) {
		k.active = append(k.active, t.ID)
	}
	for i := range t.Children {
		k.note(&t.Children[i])
	}
}

// ask kills one; that it ended meanwhile is what was asked for.
func (k *killing) ask(ctx context.Context, id process.ID) error {
	_, err := k.client.Kill(ctx, id, k.body)
	return unlessOver(err)
}

// wait waits for all that were killed.
func (k *killing) wait(ctx context.Context) error {
	for _, id := range k.active {
		rec, err := k.client.Wait(ctx, id)
		if errors.Is(err, process.ErrNotFound) { // deleted, so dead
			continue
		}
		if err != nil {
			return err
		}
		k.ended = append(k.ended, rec)
	}
	return nil
}

// reportKill says what ended. Whatever is left makes the command fail.
func (a *App) reportKill(k *killing) error {
	left, dead := 0, k.dead
	for i := range k.ended {
		rec := &k.ended[i]
		if a.global.json {
			if err := a.printJSON(rec); err != nil {
				return err
			}
		}
		if rec.Outcome == nil {
			continue
		}
		for _, s := range rec.Outcome.Survivors {
			left++
			dead--
			a.say("%s left process %d (%s) alive", rec.ID, s.PID, plain(s.Command))
		}
	}
	if len(k.named) > 0 && !a.global.json {
		if _, err := fmt.Fprintf(a.Stdout, "%s ended, %d left\n", plural(max(dead, 0), "process", "processes"), left); err != nil {
			return err
		}
	}
	if left > 0 {
		return exitError{exitFailure}
	}
	return nil
}

// each does the same for several processes. What fails is said and does not stop
// the others.
func (a *App) each(ids []process.ID, do func(process.ID) error) error {
	var failed error
	for _, id := range ids {
		if err := do(id); err != nil {
			a.say("%s", err)
			failed = exitError{exitFailure}
		}
	}
	return failed
}
