package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) pauseCommand() *cobra.Command {
	var body api.Signal
	cmd := &cobra.Command{
		Use:   "pause ID…",
		Short: "Pause processes and their clocks",
		Long: "Stop processes where they are, with their timeouts and their elapsed time. A paused\n" +
			"process stays paused when it is paused again.",
		Example:           "  reeve pause 12\n  reeve pause --tree 12",
		Args:              needIDs,
		ValidArgsFunction: a.completeIDs(process.Running),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.signal(cmd.Context(), process.SIGPAUSE, args, body)
		},
	}
	cmd.Flags().BoolVar(&body.Tree, "tree", false, "also its child processes")
	cmd.Flags().BoolVar(&body.Now, "now", false, "do not wait for a step to finish")
	return cmd
}

func (a *App) resumeCommand() *cobra.Command {
	var body api.Signal
	cmd := &cobra.Command{
		Use:               "resume ID…",
		Short:             "Let paused processes go on",
		Long:              "Let paused processes go on where they were.",
		Example:           "  reeve resume 12\n  reeve resume --tree 12",
		Args:              needIDs,
		ValidArgsFunction: a.completeIDs(process.Running),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.signal(cmd.Context(), process.SIGRESUME, args, body)
		},
	}
	cmd.Flags().BoolVar(&body.Tree, "tree", false, "also its child processes")
	return cmd
}

func (a *App) signalCommand() *cobra.Command {
	var body api.Signal
	cmd := &cobra.Command{
		Use:   "signal NAME ID…",
		Short: "Send a signal",
		Long: "Send TERM, INT, PAUSE, RESUME or KILL. TERM and INT leave it to the program what\n" +
			"they lead to; 'reeve kill' is what surely ends it, and KILL is 'reeve kill --now'.",
		Example: "  reeve signal INT 12\n  reeve signal --tree TERM 12",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which signal? TERM, INT, PAUSE, RESUME or KILL")
			}
			return needIDs(cmd, args[1:])
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []cobra.Completion{"TERM", "INT", "PAUSE", "RESUME", "KILL"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeIDs(process.Running)(cmd, args[1:], word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sig, err := process.ParseSignal(args[0])
			if err != nil {
				return usageError{err}
			}
			if sig == process.SIGKILL {
				return a.kill(cmd.Context(), args[1:], api.Kill{Now: true, Tree: &body.Tree})
			}
			return a.signal(cmd.Context(), sig, args[1:], body)
		},
	}
	cmd.Flags().BoolVar(&body.Tree, "tree", false, "also its child processes")
	return cmd
}

// signal sends one signal to several processes and says how many it reached.
func (a *App) signal(ctx context.Context, sig process.Signal, args []string, body api.Signal) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	ids, err := findAll(ctx, c, args)
	if err != nil {
		return err
	}
	return a.each(ids, func(id process.ID) error { return a.signalOne(ctx, c, sig, id, body) })
}

// pastTense is what a signal did to the processes it reached.
var pastTense = map[process.Signal]string{
	process.SIGPAUSE: "paused", process.SIGRESUME: "resumed", process.SIGTERM: "got SIGTERM", process.SIGINT: "got SIGINT",
}

func (a *App) signalOne(ctx context.Context, c *client.Client, sig process.Signal, id process.ID, body api.Signal) error {
	done, err := c.Signal(ctx, id, sig, body)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	if a.global.json {
		return a.printJSON(&done)
	}
	what := []string{id.String() + ":", plural(done.Affected, "process", "processes"), pastTense[sig]}
	_, err = fmt.Fprintln(a.Stdout, strings.Join(what, " "))
	return err
}
