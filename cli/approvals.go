package cli

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// approvalOptions are the flags of approvals.
type approvalOptions struct {
	all            bool
	state, process string
	limit          int
}

func (a *App) approvalsCommand() *cobra.Command {
	var o approvalOptions
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List the tool calls that wait for a person's decision",
		Long: "List the tool calls that wait for a decision, newest first; with -a or --state those that\n" +
			"were decided as well. The program of such a call waits, and its clock stands still. So does\n" +
			"a process that has used its budget up and asks for more: that is the tool reeve/budget.\n\n" +
			"Anyone who may use the daemon can look; to decide takes a token with the scope approve,\n" +
			"by --token or REEVE_TOKEN: 'reeve token create --scope approve' makes one.",
		Example: "  reeve approvals\n  reeve approvals show 3\n  reeve approvals approve 3 --reason 'as agreed'\n  reeve approvals deny 4 5",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.approvals(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "also those that were decided")
	f.StringVar(&o.state, "state", "", "only those in this `state`: pending, approved, denied, expired or canceled")
	f.StringVar(&o.process, "process", "", "only those of this `process`, by id or ref")
	f.IntVarP(&o.limit, "limit", "n", 100, "at most this `number`; 0: all")
	completeWords(cmd, "state", "pending", "approved", "denied", "expired", "canceled")
	cmd.AddCommand(a.approvalShowCommand(),
		a.decisionCommand("approve", "Let tool calls go ahead", (*client.Client).Approve),
		a.decisionCommand("deny", "Refuse tool calls", (*client.Client).Deny))
	return cmd
}

func (a *App) approvals(ctx context.Context, o approvalOptions) error {
	q := process.ApprovalQuery{State: process.ApprovalPending}
	if o.all {
		q.State = ""
	}
	if o.state != "" {
		state, err := process.ParseApprovalState(o.state)
		if err != nil {
			return usageError{err}
		}
		q.State = state
	}
	if o.limit < 0 {
		return usagef("--limit %d: want 0 or more", o.limit)
	}
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	if o.process != "" {
		if q.Process, err = find(ctx, c, o.process); err != nil {
			return err
		}
	}
	all, more, err := takeApprovals(ctx, c, q, o.limit)
	if err != nil {
		return err
	}
	if a.global.json {
		return printAll(a, all)
	}
	if _, err := io.WriteString(a.Stdout, approvalTable(all, time.Now(), width(a.Stdout), a.palette(a.Stdout))); err != nil {
		return err
	}
	if more {
		a.say("there are more: see them with --limit 0")
	}
	return nil
}

// takeApprovals reads pages up to a limit; 0 is no limit.
func takeApprovals(ctx context.Context, c *client.Client, q process.ApprovalQuery, limit int) (all []process.Approval, more bool, err error) {
	q.Limit = process.MaxLimit
	for {
		if limit > 0 {
			q.Limit = min(limit-len(all), process.MaxLimit)
		}
		page, err := c.Approvals(ctx, q)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page.Approvals...)
		if page.NextCursor == nil || limit > 0 && len(all) >= limit {
			return all, page.NextCursor != nil, nil
		}
		if q.Before, err = process.ParseApprovalID(*page.NextCursor); err != nil {
			return nil, false, err
		}
	}
}

func approvalTable(all []process.Approval, now time.Time, width int, p palette) string {
	if len(all) == 0 {
		return ""
	}
	t := &table{head: []string{"ID", "STATE", "PROCESS", "ASKED", "TOOL", "PARAMETERS"}, right: []bool{true, false, true, false, false, false}}
	for i := range all {
		v := &all[i]
		t.rows = append(t.rows, []cell{{text: v.ID.String()}, {text: plain(string(v.State)), paint: p.approvalColor(v.State)},
			{text: v.Process.String()}, {text: agoText(now.Sub(v.RequestedAt))},
			{text: plain(v.Service + "/" + v.Tool)}, {text: plain(strings.Join(strings.Fields(string(v.Params)), " "))}})
	}
	return t.render(width, p)
}

func (p palette) approvalColor(s process.ApprovalState) func(string) string {
	switch s {
	case process.ApprovalPending:
		return p.yellow
	case process.ApprovalApproved:
		return p.green
	case process.ApprovalDenied:
		return p.red
	}
	return p.dim
}
