package cli

import (
	"context"
	"errors"
	"fmt"
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

// kill ends processes and says what came of it.
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
	var failed error
	ended, err := c.End(ctx, ids, body, func(err error) {
		a.say("%s", err)
		failed = exitError{exitFailure}
	})
	if err != nil {
		return err
	}
	return errors.Join(failed, a.reportKill(&ended))
}

// reportKill says what ended. Whatever is left makes the command fail.
func (a *App) reportKill(ended *client.Ended) error {
	if a.global.json {
		if err := printAll(a, ended.Records); err != nil {
			return err
		}
	}
	for _, s := range ended.Left {
		a.say("%s left process %d (%s) alive", s.Process, s.PID, plain(s.Command))
	}
	if len(ended.Named) > 0 && !a.global.json {
		if _, err := fmt.Fprintln(a.Stdout, ended); err != nil {
			return err
		}
	}
	if len(ended.Left) > 0 {
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
