package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// psOptions are the flags of ps.
type psOptions struct {
	all, paused         bool
	state, status       []string
	tag, ref, text      string
	environment, parent string
	limit               int
}

func (a *App) psCommand() *cobra.Command {
	var o psOptions
	cmd := &cobra.Command{
		Use:     "ps",
		Aliases: []string{"ls", "list"},
		Short:   "List processes",
		Long: "List the active processes (queued, running, terminating), newest first; with -a,\n" +
			"--state, --status or --ref the finished ones as well.",
		Example: "  reeve ps\n  reeve ps -a --tag ci --status failed,timeout\n  reeve ps -a --text 'make test'\n  reeve ps -a --json | jq .id",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.ps(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "also the idle ones")
	f.StringSliceVar(&o.state, "state", nil, "only those in this `state`: queued, running, terminating or idle; or several, with commas")
	f.StringSliceVar(&o.status, "status", nil, "only those that ended with this `status`: success, failed, timeout or canceled, or null: not ended; or several")
	f.BoolVar(&o.paused, "paused", false, "only those that are paused")
	f.StringVar(&o.text, "text", "", "only those with this `text` in their id, ref, label, tags, environment, command or the start of their code")
	f.StringVar(&o.tag, "tag", "", "only those with this `tag`")
	f.StringVar(&o.ref, "ref", "", "only the one with this `ref`")
	f.StringVar(&o.environment, "environment", "", "only those of this `environment`")
	f.StringVar(&o.parent, "parent", "", "only children of this `process`")
	f.IntVarP(&o.limit, "limit", "n", 100, "at most this `number`; 0: all")
	completeWords(cmd, "state", "queued", "running", "terminating", "idle")
	completeWords(cmd, "status", "success", "failed", "timeout", "canceled", "null")
	return cmd
}

func (a *App) ps(ctx context.Context, o psOptions) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	q, err := o.query(ctx, c)
	if err != nil {
		return err
	}
	records, more, err := take(ctx, c, q, o.limit, a.include())
	if err != nil {
		return err
	}
	if a.global.json {
		return a.printRecords(records)
	}
	if _, err := io.WriteString(a.Stdout, psTable(records, time.Now(), width(a.Stdout), a.palette(a.Stdout))); err != nil {
		return err
	}
	if more {
		a.say("there are more: see them with --limit 0")
	}
	return nil
}

// include names what a list leaves out and a table wants to show.
func (a *App) include() []string {
	if a.global.json {
		return nil
	}
	return []string{"code"}
}

func (o psOptions) query(ctx context.Context, c *client.Client) (process.Query, error) {
	q := process.Query{Tag: o.tag, Ref: o.ref, Environment: o.environment, Text: strings.TrimSpace(o.text), Paused: o.paused}
	if o.limit < 0 {
		return q, usagef("--limit %d: want 0 or more", o.limit)
	}
	for _, name := range o.state {
		state, err := process.ParseState(strings.TrimSpace(name))
		if err != nil {
			return q, usageError{err}
		}
		q.States = append(q.States, state)
	}
	for _, name := range o.status {
		status, err := process.ParseExitState(strings.TrimSpace(name))
		if err != nil {
			return q, usageError{err}
		}
		q.Statuses = append(q.Statuses, status)
	}
	if !o.all && len(o.state) == 0 && o.ref == "" && !slices.ContainsFunc(q.Statuses, ended) {
		q.States = active()
	}
	var err error
	if o.parent != "" {
		if q.Parent, err = find(ctx, c, o.parent); err != nil {
			return q, err
		}
	}
	return q, nil
}

// active are the states of what is not over.
func active() []process.State {
	return []process.State{process.Queued, process.Running, process.Terminating}
}

func ended(s process.ExitState) bool { return s != process.ExitNone }

// take reads pages up to a limit; 0 is no limit.
func take(ctx context.Context, c *client.Client, q process.Query, limit int, include []string) (records []process.Record, more bool, err error) {
	q.Limit = process.MaxLimit
	if limit > 0 {
		q.Limit = min(limit+1, process.MaxLimit)
	}
	for rec, err := range c.All(ctx, q, include...) {
		if err != nil {
			return nil, false, err
		}
		if limit > 0 && len(records) == limit {
			return records, true, nil
		}
		records = append(records, rec)
	}
	return records, false, nil
}
