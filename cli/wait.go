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

func (a *App) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait ID…",
		Short: "Wait until processes have finished",
		Long: "Wait until all of the processes have finished. The exit code is that of the first\n" +
			"one, in the order given, that did not end with 0; 124 if the --timeout of the wait\n" +
			"itself is over, which ends nothing but the wait.",
		Example:           "  reeve wait 12\n  reeve wait 12 13 14 && echo all good\n  reeve wait --timeout 5m nightly",
		Args:              needIDs,
		ValidArgsFunction: a.completeIDs(process.Running, process.Queued, process.Terminating),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("timeout") && timeout <= 0 {
				return usagef("--timeout %s: want more than 0", timeout)
			}
			return a.wait(cmd.Context(), args, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after this time (default: never)")
	return cmd
}

// errWaitOver is the cause of a wait that took too long.
var errWaitOver = errors.New("the wait is over")

func (a *App) wait(ctx context.Context, args []string, timeout time.Duration) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errWaitOver)
		defer cancel()
	}
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	ids, err := findAll(ctx, c, args)
	if err != nil {
		return err
	}
	code := exitOK
	for _, id := range ids {
		rec, err := c.Wait(ctx, id)
		if ctx.Err() != nil {
			a.say("%s has not finished within %s; it goes on", id, timeout)
			return exitError{process.ExitCodeTimeout}
		}
		if err != nil {
			return err
		}
		if code == exitOK {
			code = waitCode(a, &rec)
		}
		if a.global.json {
			if err := a.printJSON(&rec); err != nil {
				return err
			}
		}
	}
	return exitWith(code)
}

// waitCode is the code of a finished process; one that never ran has none.
func waitCode(a *App, rec *process.Record) int {
	if rec.ExitState == nil {
		a.say("%s has never run: start it with 'reeve rerun %s'", rec.ID, rec.ID)
	}
	return exitCode(rec)
}

func (a *App) rmCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               "rm ID…",
		Short:             "Remove finished processes with their events and output",
		Long:              "Remove processes from the history, with their runs, events and output. A process\nthat is not idle is refused, unless --force kills it first.",
		Example:           "  reeve rm 12 13\n  reeve rm --force 14",
		Args:              needIDs,
		ValidArgsFunction: a.completeIDs(process.Idle),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.rm(cmd.Context(), args, force) },
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "kill those that run, first")
	return cmd
}

func (a *App) rm(ctx context.Context, args []string, force bool) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	ids, err := findAll(ctx, c, args)
	if err != nil {
		return err
	}
	return a.each(ids, func(id process.ID) error { return a.rmOne(ctx, c, id, force) })
}

func (a *App) rmOne(ctx context.Context, c *client.Client, id process.ID, force bool) error {
	rec, err := c.Delete(ctx, id)
	if force && errors.Is(err, process.ErrNotIdle) {
		var refused error
		_, failed := c.End(ctx, []process.ID{id}, api.Kill{}, func(err error) { refused = unlessOver(err) })
		if err := errors.Join(failed, refused); err != nil {
			return err
		}
		rec, err = c.Delete(ctx, id)
	}
	if errors.Is(err, process.ErrNotIdle) {
		return process.Errorf(process.CodeNotIdle, "%s is not idle: kill it first, or use --force", id)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	if a.global.json {
		return a.printJSON(&rec)
	}
	return nil
}
