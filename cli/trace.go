package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) traceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trace ID",
		Short: "Print the kernel calls of a process as they happen",
		Long: "Print what a running process asks of the kernel and what is done to it, each call with\n" +
			"its arguments and how long it took, until its run is over. Any number may look on. What\n" +
			"is said by tools, messages and output is not shown.",
		Example:           "  reeve trace 12\n  reeve trace 12 --json | jq 'select(.durationMs > 100)'",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeIDs(process.Running),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.trace(cmd.Context(), args[0]) },
	}
}

func (a *App) trace(ctx context.Context, arg string) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := find(ctx, c, arg)
	if err != nil {
		return err
	}
	p := a.palette(a.Stdout)
	for call, err := range c.Trace(ctx, id) {
		if err != nil {
			return err
		}
		if err := a.printCall(&call, p); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) printCall(c *process.Syscall, p palette) error {
	if a.global.json {
		return a.printJSON(c)
	}
	if c.Dropped > 0 {
		if _, err := fmt.Fprintln(a.Stdout, p.yellow(plural(int(c.Dropped), "call", "calls")+" not kept")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.Stdout, callLine(c, p))
	return err
}

// callLine tells a call in one line: when, what, with what, how long, and what
// went wrong.
func callLine(c *process.Syscall, p palette) string {
	words := []string{p.dim(c.At.Local().Format("15:04:05.000")), p.dim(fmt.Sprintf("%9s", preciseDuration(c.Duration()))),
		p.blue(fmt.Sprintf("%-10s", plain(c.Call)))}
	var args []string
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		args = append(args, plain(name)+"="+argText(c.Args[name]))
	}
	if len(args) > 0 {
		words = append(words, strings.Join(args, " "))
	}
	if c.Error != nil {
		words = append(words, p.red(plain(*c.Error)))
	}
	return strings.TrimRight(strings.Join(words, "  "), " ")
}

// argText shows a value; a text only in quotes where it could be taken for more.
func argText(v any) string {
	if s, ok := v.(string); ok && s != "" && !strings.ContainsAny(s, " \"=") {
		return plain(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return plain(string(b))
}

// preciseDuration says a duration with the precision that calls need.
func preciseDuration(d time.Duration) string {
	if d >= time.Second {
		return shortDuration(d)
	}
	return fmt.Sprintf("%.3fms", float64(d)/float64(time.Millisecond))
}
