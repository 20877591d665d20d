package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
)

func (a *App) pruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old events and output now",
		Long: "Remove events and output of finished runs that are older than the daemon's retention\n" +
			"keeps them, or than --events and --logs say. Records stay: 'reeve rm' removes those.",
		Example: "  reeve prune\n  reeve prune --logs 24h",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var body api.Prune
			for name, to := range map[string]*api.Millis{"events": &body.Events, "logs": &body.Logs} {
				given := cmd.Flags().Lookup(name)
				if !given.Changed {
					continue
				}
				age, err := settings.ParseDuration(given.Value.String())
				if err != nil || age < 0 {
					return usagef("--%s %q: want an age such as 12h or 30d", name, given.Value)
				}
				*to = api.MS(age.Milliseconds())
			}
			return a.prune(cmd.Context(), body)
		},
	}
	cmd.Flags().String("events", "", "remove events older than this `age`, such as 30d (default: the daemon's retention)")
	cmd.Flags().String("logs", "", "remove output older than this `age` (default: the daemon's retention)")
	return cmd
}

func (a *App) prune(ctx context.Context, body api.Prune) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	done, err := c.Prune(ctx, body)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.printJSON(&done)
	}
	_, err = fmt.Fprintf(a.Stdout, "removed %s and the output of %s\n", plural(done.Events, "event", "events"), plural(done.Logs, "run", "runs"))
	return err
}

func (a *App) envCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "env [NAME]",
		Short:             "List environments, or show how to write code for one",
		Long:              "List what code and commands can be run in. With a NAME, show how to write code for\nthat environment.",
		Example:           "  reeve env\n  reeve env typescript",
		Args:              usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: noFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.connect(cmd.Context(), connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			if len(args) == 0 {
				return a.listEnvironments(cmd.Context(), c)
			}
			docs, err := c.EnvironmentDocs(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Stdout, strings.TrimRight(docs, "\n"))
			return err
		},
	}
}

func (a *App) listEnvironments(ctx context.Context, c *client.Client) error {
	all, err := c.Environments(ctx)
	if err != nil {
		return err
	}
	t := &table{head: []string{"NAME", "SLOTS", "TIMEOUT", ""}, right: []bool{false, true, true, false}}
	for i := range all {
		e := &all[i]
		if a.global.json {
			if err := a.printJSON(e); err != nil {
				return err
			}
			continue
		}
		t.rows = append(t.rows, environmentRow(e))
	}
	if a.global.json {
		return nil
	}
	_, err = io.WriteString(a.Stdout, t.render(width(a.Stdout), a.palette(a.Stdout)))
	return err
}

func environmentRow(e *api.Environment) []cell {
	slots, timeout, note := "any", "none", ""
	if e.Slots != nil {
		slots = strconv.Itoa(*e.Slots)
	}
	if e.DefaultTimeoutMS != nil {
		timeout = (time.Duration(*e.DefaultTimeoutMS) * time.Millisecond).String()
	}
	if e.Default {
		note = "default"
	}
	return []cell{{text: plain(e.Name)}, {text: slots}, {text: timeout}, {text: note}}
}

// oneLine is a value as JSON.
func oneLine(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return plain(string(b))
}
