package cli

import (
	"cmp"
	"context"
	"errors"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tui"
	"github.com/spf13/cobra"
)

// topOptions are the flags of top.
type topOptions struct{ ascii, mouse bool }

func (a *App) topCommand() *cobra.Command {
	var o topOptions
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch and control processes on the whole terminal",
		Long: "Show processes as a live tree, with the output, events, timeline and record of the one\n" +
			"that is selected, and act on them: pause, resume, kill, run again, delete, approve,\n" +
			"attach, run a command. ? shows every key, q leaves; processes go on.\n\n" +
			"It draws in ASCII where the locale is not UTF-8 or with --ascii, and without colours\n" +
			"where NO_COLOR is set. It works over SSH and in small windows. If the daemon goes away\n" +
			"it says so, and goes on when there is one again. Where no daemon runs, one is started\n" +
			"in the background.",
		Example: "  reeve top\n  reeve top --ascii\n  reeve top --host http://127.0.0.1:7338",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.top(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.ascii, "ascii", false, "draw in ASCII only (default: where the locale is not UTF-8)")
	cmd.Flags().BoolVar(&o.mouse, "mouse", false, "a click selects, the wheel scrolls; the terminal's own selection then needs Shift")
	return cmd
}

func (a *App) top(ctx context.Context, o topOptions) error {
	if a.global.json {
		return usagef("top is for people: 'reeve ps --json' and 'reeve events -f --json' are for programs")
	}
	if a.Stdin == nil || !isTerminal(a.Stdin) || !isTerminal(a.Stdout) {
		return usagef("top needs a terminal: 'reeve ps' and 'reeve tree' print what there is")
	}
	// A terminal that is hung up is given back, too, in case it is still there.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	// Who watches sees for themselves that a daemon is away, and for how long.
	c, err := a.connect(ctx, connectOptions{start: true, impatient: true})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := a.canWatch(ctx, c); err != nil {
		return err
	}
	return tui.Run(ctx, tui.Config{Source: tui.Live{Client: c}, Host: c.Host(), ASCII: o.ascii || !a.unicode(), Plain: a.colourless(), Mouse: o.mouse,
		Attach: a.attachFromTop, Command: a.commandFromTop, Input: a.Stdin, Output: a.Stdout, Environ: a.Environ()})
}

// canWatch finds out before the screen is taken what would only be repeated on it:
// no daemon, a token that is wrong, a daemon from before there was a dashboard.
func (a *App) canWatch(ctx context.Context, c *client.Client) error {
	_, err := c.Overview(ctx)
	if errors.Is(err, process.ErrNotFound) {
		if v := a.daemonVersion(ctx); v != nil {
			return errors.New(cmp.Or(ageText(*v, a.Version), err.Error()))
		}
	}
	return err
}

// unicode reports whether the terminal shows more than ASCII, as its locale says.
func (a *App) unicode() bool {
	if a.dumb() {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v, _ := a.Env(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

// colourless reports whether the user wants no colours (no-color.org).
func (a *App) colourless() bool {
	no, _ := a.Env("NO_COLOR")
	return no != "" || a.dumb()
}

// attachFromTop is attach for who comes from the dashboard and goes back there:
// how the process ended is seen in it.
func (a *App) attachFromTop(ctx context.Context, id process.ID) error {
	err := a.attach(ctx, id.String(), attachOptions{keys: defaultDetachKeys, tail: -1})
	if errors.As(err, new(exitError)) {
		return nil
	}
	return err
}

// commandFromTop is a line for the shell, as "reeve run -- sh -c" would run it.
func (a *App) commandFromTop(line string) (api.Create, error) {
	shell := []string{"sh", "-c", line}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", line}
	}
	dir, err := a.workingDir("")
	if err != nil {
		return api.Create{}, err
	}
	env, err := environment(a.Environ(), nil, dir)
	if err != nil {
		return api.Create{}, err
	}
	body := api.Create{Environment: process.EnvCommand, Label: fit(line, 200), Command: &api.Command{Program: shell[0], Args: shell[1:], Dir: dir, Env: env}}
	return body, a.readable(shell, dir, env, nil)
}
